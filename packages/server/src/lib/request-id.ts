import { randomFillSync } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

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

/** Version, trace, span and flags; future versions may have more after them. W3C Trace Context, 3.2. */
const traceParent =
  /^(?!ff)([\da-f]{2})-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(?<more>-[\x21-\x7e]*)?$/;
/** Minimum length that must be propagated: W3C Trace Context, 3.3.1.5. */
const maxStateLength = 512;

/**
 * The headers that continue a caller's trace at the upstream; undefined if there are none or they are invalid: then
 * nothing may be propagated. If the gateway's own part of the call is not traced, both are passed on unchanged.
 */
export function traceContext(headers: IncomingHttpHeaders): Record<string, string> | undefined {
  const { traceparent, tracestate } = headers;
  if (typeof traceparent !== 'string') return undefined;
  const found = traceParent.exec(traceparent);
  // The first version has nothing after its flags.
  if (!found || (found[1] === '00' && found.groups?.more !== undefined)) return undefined;
  const state = Array.isArray(tracestate) ? tracestate.join(',') : (tracestate ?? '');
  return state === '' || state.length > maxStateLength ? { traceparent } : { traceparent, tracestate: state };
}
