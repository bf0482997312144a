export { realtimeLimits } from './limits.ts';
export { createLiveHandles } from './live-handles.ts';
export { serveRealtime, type SocketRequest } from './serve-realtime.ts';
export { Sessions } from './sessions.ts';
