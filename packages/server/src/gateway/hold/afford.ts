import { splice } from '../../lib/json-scan.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { ProtocolId } from '../../relay/types/index.ts';
import type { RelayCall } from '../call/index.ts';

/** The fields that limit an answer's length, by the caller's protocol; the preferred one first. */
const boundFields: Partial<Record<ProtocolId, readonly string[]>> = {
  'openai-chat': ['max_completion_tokens', 'max_tokens'],
  'openai-completions': ['max_tokens'],
  'openai-responses': ['max_output_tokens'],
  'anthropic-messages': ['max_tokens'],
};

/** True if an answer is text that can be limited to a number of tokens; not for vectors, images and sound. */
export const growsByTokens = ({ inbound, facts }: Pick<RelayCall, 'inbound' | 'facts'>): boolean =>
  facts.media === undefined && (inbound.id === 'gemini' || boundFields[inbound.id] !== undefined);

/** The parts of a hold that decide the limit of an answer. */
export interface PaidFor {
  /** Output tokens that are covered. */
  readonly paidTokens: number;
  /** True if so many are certainly covered; faster than computing how many are. */
  pays(outputTokens: number): boolean;
  /** True if the balance did not cover what such a request usually holds at first. */
  readonly isPartial: boolean;
  /** The most uses of tools that are covered, if that is less than the answer may make. */
  readonly maxUses?: number | undefined;
}

/** A limit that nearly every model accepts; models refuse limits above their own. */
const acceptedEverywhere = 4_096;

/**
 * The request with its answer limited to what the hold covers. A stream is cut when its balance ends, but an answer
 * in one piece is delivered as a whole or not at all: without a limit, a caller with a small balance would get more
 * than that. A limit set by the caller is never left above the hold. If the caller set none, one is added only when
 * the balance is nearly used up, because models refuse limits above their own. Unchanged if the hold covers the
 * request. The uses of tools are limited in the upstream's protocol.
 */
export function boundToHold(relayCall: RelayCall, hold: PaidFor): RelayCall {
  const { maxUses } = hold;
  const bounded = boundOutput(relayCall, hold);
  return maxUses === undefined ? bounded : { ...bounded, facts: { ...bounded.facts, maxUses } };
}

function boundOutput(relayCall: RelayCall, hold: PaidFor): RelayCall {
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

/** The fields of the body that limit the answer to `tokens`. */
function changesFor(relayCall: RelayCall, tokens: number): Record<string, Json> {
  const { json, inbound } = relayCall;
  if (inbound.id === 'gemini') {
    // Both spellings are accepted; the one that the caller used is changed.
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

/** Claude's smallest budget for thinking. */
const minThinking = 1_024;

/** Claude refuses a thinking budget that is not below the limit: half of the limit then, or no thinking. */
function shorterThinking({ thinking }: JsonObject, tokens: number): Record<string, Json> {
  const budget = isObject(thinking) ? thinking.budget_tokens : undefined;
  if (typeof budget !== 'number' || budget < tokens) return {};
  if (tokens <= minThinking) return { thinking: { type: 'disabled' } };
  return { thinking: { type: 'enabled', budget_tokens: Math.max(minThinking, Math.floor(tokens / 2)) } };
}

/** The field that the caller used, otherwise the one that the model accepts. */
function fieldOf({ inbound, json, facts }: RelayCall): string | undefined {
  const fields = boundFields[inbound.id];
  const used = fields?.find((name) => typeof json[name] === 'number');
  if (used !== undefined || inbound.id !== 'openai-chat') return used ?? fields?.[0];
  // OpenAI's reasoning models refuse max_tokens; most other vendors know no other field.
  return /^(o\d|gpt-5)/.test(facts.model) ? 'max_completion_tokens' : 'max_tokens';
}
