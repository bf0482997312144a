const LF = 0x0a;
const CR = 0x0d;
const crlfBlankLine = Buffer.from('\r\n\r\n');

/** Ends an event where lines end with LF. */
export const blankLine = Buffer.from('\n\n');

/** True when the bytes end with the blank line that ends an event. */
export function endsEvent(chunk: Buffer): boolean {
  const end = chunk.length;
  if (end < 2 || chunk[end - 1] !== LF) return false;
  return chunk[end - 2] === LF || (end >= 4 && chunk[end - 2] === CR && chunk[end - 3] === LF);
}

/** Position after the first blank line that starts at `from` or later; −1 if there is none. */
export function eventEnd(bytes: Buffer, from = 0): number {
  const lf = bytes.indexOf(blankLine, from);
  const crlf = bytes.indexOf(crlfBlankLine, from);
  if (lf < 0 && crlf < 0) return -1;
  return lf >= 0 && (crlf < 0 || lf < crlf) ? lf + 2 : crlf + 4;
}

/** Position after the last blank line; −1 if there is none. */
export function lastEventEnd(bytes: Buffer): number {
  const lf = bytes.lastIndexOf(blankLine);
  const crlf = bytes.lastIndexOf(crlfBlankLine);
  return lf < 0 && crlf < 0 ? -1 : Math.max(lf + 2, crlf + 4);
}

/**
 * How many bytes to take: all if they are at most `room`, else the complete events within it, or the first event if
 * none fits.
 */
export function eventsWithin(bytes: Buffer, room: number): number {
  if (bytes.length <= room) return bytes.length;
  const last = room > 0 ? lastEventEnd(bytes.subarray(0, room)) : -1;
  if (last > 0) return last;
  const first = eventEnd(bytes);
  return first < 0 ? bytes.length : first;
}
