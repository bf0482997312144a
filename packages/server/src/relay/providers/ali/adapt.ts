import type { JsonObject } from '../../../lib/json.ts';
import type { AdaptContext } from '../../types/index.ts';

/** DashScope takes `top_p` between these, both of them included. */
const minTopP = 0.001;
const maxTopP = 0.999;

/**
 * Models of Qwen that may think refuse to do so in an answer that comes whole, and do not guess it: unless the caller
 * says otherwise, they are told not to (docs/compatibility.md#channel-types). Models that always think have no such
 * switch.
 */
export function adaptQwen(body: JsonObject, { model, stream }: AdaptContext): undefined {
  if (typeof body.top_p === 'number') {
    const within = Math.min(maxTopP, Math.max(minTopP, body.top_p));
    if (within !== body.top_p) body.top_p = within;
  }
  if (!stream && !/^qwq|^qvq|-thinking/.test(model)) body.enable_thinking ??= false;
}
