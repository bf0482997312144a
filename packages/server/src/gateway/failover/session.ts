import { isObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { RelayCall } from '../call/index.ts';

/** Session headers of agents. */
const sessionHeaders = ['x-session-id', 'session_id', 'session-id', 'conversation_id'] as const;

/** Length of the prefix that identifies a conversation, in characters. */
const prefixLength = 4_000;

/**
 * Identifies the session of a call, so that calls with a common prefix use one vendor account and its cache: the
 * agent's session id, the key or user in the body (OpenAI `prompt_cache_key`, `safety_identifier`, `user`; Anthropic
 * `metadata.user_id`), otherwise the start of the conversation. '' without any.
 */
export function sessionOf({ req, json, caller }: Pick<RelayCall, 'req' | 'json' | 'caller'>): string {
  const named =
    sessionHeaders
      .map((name) => req.headers[name])
      .find((value) => typeof value === 'string' && value !== '') ??
    textIn(json.prompt_cache_key) ??
    textIn(isObject(json.metadata) ? json.metadata.user_id : undefined) ??
    textIn(json.cachedContent) ??
    textIn(json.safety_identifier) ??
    textIn(json.user);
  // Names are chosen by their callers: two callers may use the same.
  return named === undefined ? beginningOf(json) : `${caller.userId} ${String(named)}`;
}

const textIn = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** Instructions and start of a conversation, in all protocols. */
function beginningOf(json: JsonObject): string {
  const first = (value: Json | undefined): Json | undefined =>
    Array.isArray(value) ? value.slice(0, 2) : value;
  const parts = [
    json.instructions,
    json.system,
    json.systemInstruction,
    first(json.messages ?? json.input ?? json.contents ?? json.prompt),
  ];
  const words: string[] = [];
  let left = prefixLength;
  const take = (value: Json | undefined): void => {
    if (left <= 0) return;
    if (typeof value === 'string') {
      words.push(value.slice(0, left));
      left -= value.length;
    } else if (Array.isArray(value)) value.forEach(take);
    else if (isObject(value)) Object.values(value).forEach(take);
  };
  parts.forEach(take);
  return words.join('\n');
}
