import { splice } from '../lib/json-scan.ts';
import type { Exchange } from './types.ts';

/**
 * A call as its vendor gets it. The playground's `group` is a word between its page and us, and its `max_tokens` of 0
 * means none (specification 3), where a vendor would refuse it. All other calls stay as they are.
 */
export function withoutPlaygroundWords<E extends Pick<Exchange, 'path' | 'json' | 'raw'>>(exchange: E): E {
  if (!/^\/pg\/chat\/completions\/?$/.test(exchange.path)) return exchange;
  const { group: _, ...json } = exchange.json;
  const cuts = new Map<string, undefined>([['group', undefined]]);
  if (json.max_tokens === 0) {
    delete json.max_tokens;
    cuts.set('max_tokens', undefined);
  }
  return { ...exchange, json, raw: splice(exchange.raw, cuts) };
}
