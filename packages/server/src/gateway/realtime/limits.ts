import type { SocketLimits } from '../../lib/websocket/frame-socket.ts';

/** Bounds of a realtime session. Times are in milliseconds. */
export interface RealtimeLimits {
  socket: SocketLimits;
  /** Until an upstream has answered the handshake. */
  handshakeTimeoutMs: number;
  /** A session without events from either side for this long is closed. */
  idleMs: number;
  /** A response without events from the upstream for this long counts as broken off; 0 for no timeout. */
  upstreamTimeoutMs: number;
}

/** Tollgate's limits; the operator sets the timeout of an upstream (STREAMING_TIMEOUT). */
export const realtimeLimits = (upstreamTimeoutMs: number): RealtimeLimits => ({
  socket: {
    // The API accepts 15 MB of sound in one event, which is 20 MB in base64.
    maxPayloadBytes: 32 * 1024 * 1024,
    fullBytes: 1024 * 1024,
    stuckAfterMs: 120_000,
    pingEveryMs: 30_000,
    closeGraceMs: 1_000,
  },
  handshakeTimeoutMs: 15_000,
  idleMs: 15 * 60_000,
  upstreamTimeoutMs,
});
