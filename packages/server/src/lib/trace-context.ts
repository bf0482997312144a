import type { IncomingHttpHeaders } from 'node:http';

/** Version, trace, span and flags; versions of the future may have more behind them. W3C Trace Context, 3.2. */
const traceParent =
  /^(?!ff)([\da-f]{2})-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(?<more>-[\x21-\x7e]*)?$/;
/** What every party has to pass on at least: W3C Trace Context, 3.3.1.5. */
const maxStateLength = 512;

/**
 * The headers by which a caller's trace goes on at the upstream; undefined where there is none, or where it is not one: then
 * nothing of it may be passed on. Where the gateway's own part of a call is not traced, both are passed on as they are.
 */
export function traceContext(headers: IncomingHttpHeaders): Record<string, string> | undefined {
  const { traceparent, tracestate } = headers;
  if (typeof traceparent !== 'string') return undefined;
  const found = traceParent.exec(traceparent);
  // The first version has nothing behind its flags.
  if (!found || (found[1] === '00' && found.groups?.more !== undefined)) return undefined;
  const state = Array.isArray(tracestate) ? tracestate.join(',') : (tracestate ?? '');
  return state === '' || state.length > maxStateLength ? { traceparent } : { traceparent, tracestate: state };
}
