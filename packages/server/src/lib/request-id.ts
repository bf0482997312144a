import { randomFillSync } from 'node:crypto';

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz01';
const pool = Buffer.alloc(8 * 512);
let used = pool.length;
let stampSecond = -1;
let stamp = '';

const two = (value: number): string => (value < 10 ? `0${value}` : String(value));

/** Local time as 14 digits, computed once a second. */
function timeStamp(nowMs: number): string {
  const second = Math.floor(nowMs / 1000);
  if (second !== stampSecond) {
    const at = new Date(nowMs);
    stampSecond = second;
    stamp = `${at.getFullYear()}${two(at.getMonth() + 1)}${two(at.getDate())}${two(at.getHours())}${two(at.getMinutes())}${two(at.getSeconds())}`;
  }
  return stamp;
}

/**
 * A new request id: 14 digits of local time, 3 of milliseconds and 8 random characters, in the format of
 * docs/compatibility.md#relay-errors. Sortable by time, and not guessable by counting.
 */
export function newRequestId(nowMs: number): string {
  if (used >= pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  let text = timeStamp(nowMs) + String(1000 + (nowMs % 1000)).slice(1);
  // 64 letters, so six bits select one (0 and 1 occur twice, which does no harm).
  for (let i = 0; i < 8; i += 1) text += letters[pool[used + i]! & 63];
  used += 8;
  return text;
}
