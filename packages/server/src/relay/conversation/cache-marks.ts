import { isObject, type Json } from '../../lib/json.ts';
import type { RequestFacts } from '../types/index.ts';

/**
 * How long the parts of a request are to be cached, by their marks (`cache_control`): Anthropic's, and those of vendors
 * and gateways that serve its models in chats. They may stand on the request, a tool, a block, and a block within one.
 */
export function cacheMarks(...parts: readonly (Json | undefined)[]): Pick<RequestFacts, 'cacheWrite'> {
  let found: RequestFacts['cacheWrite'];
  const look = (part: Json | undefined): void => {
    if (Array.isArray(part)) return part.forEach(look);
    if (!isObject(part) || found === '1h') return;
    const { cache_control: mark, content } = part;
    if (isObject(mark)) found = mark.ttl === '1h' ? '1h' : '5m';
    if (typeof content === 'object') look(content);
  };
  parts.forEach(look);
  return found ? { cacheWrite: found } : {};
}
