import { splice } from '../../lib/json-scan.ts';
import type { RelayCall } from '../call/index.ts';

/**
 * A call as its vendor gets it. The playground's `group` is a word between its page and us, and its `max_tokens` of 0
 * means none, where a vendor would refuse it. All other calls stay as they are.
 */
export function withoutPlaygroundWords<E extends Pick<RelayCall, 'path' | 'json' | 'raw'>>(relayCall: E): E {
  if (!/^\/pg\/chat\/completions\/?$/.test(relayCall.path)) return relayCall;
  const { group: _, ...json } = relayCall.json;
  const cuts = new Map<string, undefined>([['group', undefined]]);
  if (json.max_tokens === 0) {
    delete json.max_tokens;
    cuts.set('max_tokens', undefined);
  }
  return { ...relayCall, json, raw: splice(relayCall.raw, cuts) };
}
