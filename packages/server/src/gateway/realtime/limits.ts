import type { SocketLimits } from '../../lib/websocket/frame-socket.ts';

/** Bounds of a realtime session. Times are in milliseconds. */
export interface RealtimeLimits {
  socket: SocketLimits;
  /** Until an upstream has answered the handshake. */
  handshakeTimeoutMs: number;
  /** A session in which nobody says anything for so long is closed. */
  idleMs: number;
  /** A response in which nothing comes for so long has broken off. */
  silenceMs: number;
}

/** The bounds of this house; an upstream's silence is the operator's setting (STREAMING_TIMEOUT). */
export const realtimeLimits = (silenceMs: number): RealtimeLimits => ({
  socket: {
    // The API takes 15 MB of sound in one event, which base64 makes 20 MB.
    maxPayloadBytes: 32 * 1024 * 1024,
    fullBytes: 1024 * 1024,
    stuckAfterMs: 120_000,
    pingEveryMs: 30_000,
    closeGraceMs: 1_000,
  },
  handshakeTimeoutMs: 15_000,
  idleMs: 15 * 60_000,
  silenceMs,
});
