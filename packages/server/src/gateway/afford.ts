import { splice } from '../lib/json-scan.ts';
import { isObject, type Json } from '../relay/model/json.ts';
import type { ProtocolId } from '../relay/model/protocol.ts';
import type { Exchange } from './types.ts';

/** The fields that bound an answer's length, the one to use first; by the language the caller speaks. */
const boundFields: Partial<Record<ProtocolId, readonly string[]>> = {
  'openai-chat': ['max_completion_tokens', 'max_tokens'],
  'openai-completions': ['max_tokens'],
  'openai-responses': ['max_output_tokens'],
  'anthropic-messages': ['max_tokens'],
};

/**
 * The request with its answer bounded to what the hold pays for. A stream is cut when its balance ends, but an answer
 * in one piece comes whole or not at all: without a bound, whoever has little left would get more than that
 * (money.md, decision 4). Returned unchanged where the hold covers what was asked for.
 */
export function boundToHold(exchange: Exchange, tokens: number): Exchange {
  const { facts, json, raw, inbound } = exchange;
  const each = Math.max(1, Math.floor(tokens / facts.choices));
  if (facts.stream || (facts.maxOutputTokens > 0 && facts.maxOutputTokens <= each)) return exchange;
  const field = fieldOf(exchange);
  const changes: Record<string, Json> = {};
  if (field !== undefined) changes[field] = each;
  else if (inbound.id === 'gemini') {
    // Both spellings are taken; what the caller wrote is what is changed.
    const { generationConfig: config, generation_config: spelt } = json;
    if (isObject(spelt)) changes['generation_config'] = { ...spelt, max_output_tokens: each };
    if (isObject(config) || !isObject(spelt)) {
      changes['generationConfig'] = { ...(isObject(config) && config), maxOutputTokens: each };
    }
  } else return exchange;
  const texts = Object.entries(changes).map(([name, value]): [string, string] => [
    name,
    JSON.stringify(value),
  ]);
  return { ...exchange, json: { ...json, ...changes }, raw: splice(raw, new Map(texts)) };
}

/** The field that the caller used, else the one that the model takes. */
function fieldOf({ inbound, json, facts }: Exchange): string | undefined {
  const fields = boundFields[inbound.id];
  const used = fields?.find((name) => typeof json[name] === 'number');
  if (used !== undefined || inbound.id !== 'openai-chat') return used ?? fields?.[0];
  // OpenAI's reasoning models refuse max_tokens, most other vendors know nothing else.
  return /^(o\d|gpt-5)/.test(facts.model) ? 'max_completion_tokens' : 'max_tokens';
}
