export { Client } from './client/client.ts';
export { BadAnswer, ConnectionLost, TimedOut } from './client/faults.ts';
export { targetOf } from './client/target.ts';
export type { AnswerHandler, AnswerHeaders, Controller, Request, Target } from './client/types.ts';
export type { ConnectGuard, Scope } from './guard.ts';
export { chunkFrame } from './server/chunk-frame.ts';
export { PlainRequest } from './server/plain-request.ts';
export type { PlainResponse } from './server/plain-response.ts';
export { type PlainServer, servePlain } from './server/plain-server.ts';
