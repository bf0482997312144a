/**
 * A chunk of a body in one piece: its length, its bytes, a line break (RFC 9112 section 7.1). `before` and `behind` stand
 * in front of it and at its end, in Latin-1.
 */
export function chunkFrame(chunk: Buffer, before = '', behind = ''): Buffer {
  const front = `${before}${chunk.length.toString(16)}\r\n`;
  const start = front.length;
  const end = start + chunk.length;
  const frame = Buffer.allocUnsafe(end + 2 + behind.length);
  frame.write(front, 0, 'latin1');
  frame.set(chunk, start);
  frame[end] = 13;
  frame[end + 1] = 10;
  if (behind !== '') frame.write(behind, end + 2, 'latin1');
  return frame;
}
