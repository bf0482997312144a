import { splice } from '../../lib/json-scan.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { ProtocolId } from '../../relay/types/index.ts';
import type { RelayCall } from '../call/index.ts';

/** The fields that bound an answer's length, the one to use first; by the protocol the caller speaks. */
const boundFields: Partial<Record<ProtocolId, readonly string[]>> = {
  'openai-chat': ['max_completion_tokens', 'max_tokens'],
  'openai-completions': ['max_tokens'],
  'openai-responses': ['max_output_tokens'],
  'anthropic-messages': ['max_tokens'],
};

/** True where an answer is text that can be asked to end after so many tokens; not for vectors, images and sound. */
export const growsByTokens = ({ inbound, facts }: Pick<RelayCall, 'inbound' | 'facts'>): boolean =>
  facts.media === undefined && (inbound.id === 'gemini' || boundFields[inbound.id] !== undefined);

/** What a hold says to those who bound an answer to it. */
export interface PaidFor {
  /** Output tokens that are paid for. */
  readonly paidTokens: number;
  /** True where so many are surely paid for: said sooner than how many there are. */
  pays(outputTokens: number): boolean;
  /** True when the balance did not cover what such a request holds at first. */
  readonly isPartial: boolean;
}

/** A bound that nearly every model takes; larger ones are refused by models that never say so much. */
const acceptedEverywhere = 4_096;

/**
 * The request with its answer bounded to what the hold pays for. A stream is cut when its balance ends, but an answer
 * in one piece comes whole or not at all: without a bound, a caller with little left would get more than that. A bound
 * of the caller's is never left above what is held for it. Where the caller set none, one is set only when the balance
 * is nearly used up, because models refuse bounds above their own. Returned unchanged where the hold covers what was
 * asked for.
 */
export function boundToHold(relayCall: RelayCall, hold: PaidFor): RelayCall {
  const { facts, json, raw } = relayCall;
  if (facts.stream || !growsByTokens(relayCall)) return relayCall;
  if (facts.maxOutputTokens === 0 && !hold.isPartial) return relayCall;
  if (facts.maxOutputTokens > 0 && hold.pays(facts.maxOutputTokens * facts.choices)) return relayCall;
  const each = Math.max(1, Math.floor(hold.paidTokens / facts.choices));
  if (facts.maxOutputTokens > 0 && facts.maxOutputTokens <= each) return relayCall;
  const tokens = facts.maxOutputTokens > 0 ? each : Math.min(each, acceptedEverywhere);
  const changes = changesFor(relayCall, tokens);
  const texts = Object.entries(changes).map(([name, value]): [string, string] => [
    name,
    JSON.stringify(value),
  ]);
  return { ...relayCall, json: { ...json, ...changes }, raw: splice(raw, new Map(texts)) };
}

/** The fields of the body that bound the answer to `tokens`. */
function changesFor(relayCall: RelayCall, tokens: number): Record<string, Json> {
  const { json, inbound } = relayCall;
  if (inbound.id === 'gemini') {
    // Both spellings are taken; what the caller wrote is what is changed.
    const { generationConfig: config, generation_config: spelt } = json;
    return {
      ...(isObject(spelt) && { generation_config: { ...spelt, max_output_tokens: tokens } }),
      ...((isObject(config) || !isObject(spelt)) && {
        generationConfig: { ...(isObject(config) && config), maxOutputTokens: tokens },
      }),
    };
  }
  const field = fieldOf(relayCall);
  return {
    ...(field !== undefined && { [field]: tokens }),
    ...(inbound.id === 'anthropic-messages' && shorterThinking(json, tokens)),
  };
}

/** Claude's least budget for thinking. */
const leastThinking = 1_024;

/** Claude refuses a budget for thinking that is not below the bound: half of it then, or no thinking at all. */
function shorterThinking({ thinking }: JsonObject, tokens: number): Record<string, Json> {
  const budget = isObject(thinking) ? thinking.budget_tokens : undefined;
  if (typeof budget !== 'number' || budget < tokens) return {};
  if (tokens <= leastThinking) return { thinking: { type: 'disabled' } };
  return { thinking: { type: 'enabled', budget_tokens: Math.max(leastThinking, Math.floor(tokens / 2)) } };
}

/** The field that the caller used, else the one that the model takes. */
function fieldOf({ inbound, json, facts }: RelayCall): string | undefined {
  const fields = boundFields[inbound.id];
  const used = fields?.find((name) => typeof json[name] === 'number');
  if (used !== undefined || inbound.id !== 'openai-chat') return used ?? fields?.[0];
  // OpenAI's reasoning models refuse max_tokens, most other vendors know nothing else.
  return /^(o\d|gpt-5)/.test(facts.model) ? 'max_completion_tokens' : 'max_tokens';
}
