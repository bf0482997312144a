import type { IncomingHttpHeaders } from 'node:http';

/** Version, trace, span and flags; future versions may have more after them. W3C Trace Context, 3.2. */
const traceParent =
  /^(?!ff)([\da-f]{2})-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(?<more>-[\x21-\x7e]*)?$/;
/** Least length that must be propagated: W3C Trace Context, 3.3.1.5. */
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
