export { realtimeLimits } from './limits.ts';
export { serveRealtime, type SocketRequest } from './serve-realtime.ts';
export { Sessions } from './sessions.ts';
