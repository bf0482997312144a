import type { Socket } from 'node:net';

/**
 * A chunk of a body in one piece: its length, its bytes, a line break (RFC 9112 section 7.1). `before` and `behind`
 * surround it, in Latin-1.
 */
export function chunkFrame(chunk: Buffer, before = '', behind = ''): Buffer {
  const front = frontOf(chunk, before);
  const frame = Buffer.allocUnsafe(front.length + chunk.length + 2 + behind.length);
  return fill(frame, chunk, front, behind);
}

/**
 * Frames are built in one buffer. The system has usually copied it when the write returns; a new buffer for each would
 * be half of the garbage of a stream. Windows writes later.
 */
const reusedBytes = process.platform === 'win32' ? 0 : 32 * 1024;
let reused = Buffer.allocUnsafeSlow(reusedBytes);

/** Writes a chunk as one frame. False if the socket's buffer is full. */
export function writeChunk(socket: Socket, chunk: Buffer, before = '', behind = ''): boolean {
  const front = frontOf(chunk, before);
  const size = front.length + chunk.length + 2 + behind.length;
  if (size > reusedBytes || socket.writableLength > 0) return socket.write(chunkFrame(chunk, before, behind));
  const hasRoom = socket.write(fill(reused.subarray(0, size), chunk, front, behind));
  // The socket keeps it until the system accepts the rest.
  if (socket.writableLength > 0) reused = Buffer.allocUnsafeSlow(reusedBytes);
  return hasRoom;
}

const frontOf = (chunk: Buffer, before: string): string => `${before}${chunk.length.toString(16)}\r\n`;

function fill(frame: Buffer, chunk: Buffer, front: string, behind: string): Buffer {
  const end = front.length + chunk.length;
  frame.write(front, 0, 'latin1');
  frame.set(chunk, front.length);
  frame[end] = 13;
  frame[end + 1] = 10;
  if (behind !== '') frame.write(behind, end + 2, 'latin1');
  return frame;
}
