import { cannotTranslate } from '../../conversation/index.ts';
import { isObject, type Json, type JsonObject, objectOf, textOf } from '../../../lib/json.ts';

/** Its own tools beside searches and functions; each is sent unchanged. */
const ownTools = new Set(['fetch_url', 'people_search', 'finance_search', 'image_search', 'sandbox', 'mcp']);
const functionFields = ['type', 'name', 'description', 'parameters', 'strict'];
const searchFields = ['search_context_size', 'max_results', 'max_tokens', 'max_tokens_per_page'];
/** The location of a search; OpenAI's `type` and `timezone` are not read. */
const placeFields = ['latitude', 'longitude', 'country', 'region', 'city'];

const isSearch = (type: Json | undefined): boolean =>
  /^(openrouter:)?web_search|^browser_search$/.test(textOf(type));

/** True if a request already searches. */
export const hasSearch = (tools: readonly JsonObject[]): boolean => tools.some(({ type }) => isSearch(type));

/** A tool in its format. Throws RelayError (400, `cannot_translate`) for a tool of another vendor's. */
export function writeTool(tool: JsonObject, drop: (what: string) => void): JsonObject {
  const type = textOf(tool.type);
  if (type === 'function') return pick(tool, functionFields);
  if (ownTools.has(type)) return tool;
  if (!isSearch(type)) throw cannotTranslate(type || 'tools', 'openai-responses');
  const { filters, user_location: place } = tool;
  const { allowed_domains: domains, ...own } = objectOf(filters);
  const kept = { ...own, ...(domains !== undefined && { search_domain_filter: domains }) };
  const known = new Set([...searchFields, 'type', 'filters', 'user_location']);
  for (const name of Object.keys(tool)) if (!known.has(name)) drop(name);
  return {
    type: 'web_search',
    ...pick(tool, searchFields),
    ...(Object.keys(kept).length > 0 && { filters: kept }),
    ...(isObject(place) && { user_location: pick(place, placeFields) }),
  };
}

/** A choice of a tool: a function by its name, a search by its type. */
export function writeChoice(choice: JsonObject): JsonObject {
  const { name, type } = choice;
  if (typeof name === 'string') return { name };
  return isSearch(type) ? { type: 'web_search' } : { type: textOf(type) };
}

function pick(fields: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.flatMap((name) => (fields[name] == null ? [] : [[name, fields[name]]])));
}
