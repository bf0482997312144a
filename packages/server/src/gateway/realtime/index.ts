export { realtimeLimits } from './limits.ts';
export { type RealtimeDeps, serveRealtime, type SocketRequest } from './serve-realtime.ts';
export { Sessions } from './sessions.ts';
