export { realtimeLimits } from './limits.ts';
export { type RealtimeDeps, serveRealtime, type SocketVisit } from './serve-realtime.ts';
export { Sessions } from './sessions.ts';
