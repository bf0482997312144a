import type { JsonObject } from '../../lib/json.ts';
import { applyOverride } from '../../relay/override.ts';
import { writeSystemPrompt } from '../../relay/system-prompt.ts';
import { type Channel, operationsOf, type RequestFacts } from '../../relay/types/index.ts';
import type { RelayCall } from '../call/index.ts';

/** Fields that change neither the length of an answer nor its price. */
const free: ReadonlySet<string> = new Set([
  'temperature',
  'top_p',
  'top_k',
  'seed',
  'stop',
  'user',
  'metadata',
  'store',
  'frequency_penalty',
  'presence_penalty',
]);

/** Names of the output limit and of the number of answers, in all protocols of channels. */
const bounds = ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens', 'maxTokens'];
const numbers = ['n', 'candidateCount'];

/** True if an override may change the cost of a call. */
function isCostly(override: JsonObject): boolean {
  const operations = operationsOf(override);
  const touches = (path: unknown): boolean => typeof path === 'string' && !free.has(path.split('.')[0]!);
  return (
    Object.entries(override).some(([key]) => (operations && key === 'operations' ? false : !free.has(key))) ||
    (operations ?? []).some(
      ({ mode, path, from, to }) =>
        mode !== 'delete' &&
        (mode === 'move' || mode === 'copy' ? touches(from) || touches(to) : touches(path)),
    )
  );
}

/**
 * A call with a channel's override and instructions applied, so that its hold covers at least the request and these
 * additions. Undefined if they cost nothing. Never sent: the relay writes the channel's own request.
 */
export function overriddenCall(
  relayCall: RelayCall,
  { paramOverride, setting }: Channel,
): RelayCall | undefined {
  const { systemPrompt } = setting;
  const override = paramOverride && isCostly(paramOverride) ? paramOverride : undefined;
  if (setting.passThroughBody || (!override && !systemPrompt)) return undefined;
  const { facts, inbound, form, path } = relayCall;
  const json: JsonObject = { ...relayCall.json };
  if (systemPrompt) writeSystemPrompt(json, inbound.id, systemPrompt);
  if (override) applyOverride(json, override, { model: facts.model, requestedModel: facts.model, path });
  // The call is counted by this body.
  const text = JSON.stringify(json);
  const sizes = {
    byteLength: Buffer.byteLength(text),
    charLength: text.length,
    ...(form && { files: form.files }),
  };
  const read = factsOf(() => inbound.readFacts(json, sizes));
  return { ...relayCall, json, facts: more(facts, read, json) };
}

/** The caller's own facts if the overridden request is not in the caller's protocol. */
function factsOf(read: () => RequestFacts): RequestFacts | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** The greater of both requests in each respect; 0 means an unlimited answer. */
function more(asked: RequestFacts, overridden: RequestFacts = asked, json: JsonObject): RequestFacts {
  const config = json.generationConfig;
  const places = [
    json,
    typeof config === 'object' && config !== null && !Array.isArray(config) ? config : {},
  ];
  const most = (names: readonly string[], least: number): number =>
    Math.max(least, ...places.flatMap((place) => names.map((name) => Number(place[name]) || 0)));
  const isBound = asked.maxOutputTokens > 0 && overridden.maxOutputTokens > 0;
  const bound = Math.max(asked.maxOutputTokens, overridden.maxOutputTokens);
  return {
    ...asked,
    ...overridden,
    model: asked.model,
    stream: asked.stream,
    maxOutputTokens: isBound ? most(bounds, bound) : 0,
    choices: most(numbers, Math.max(asked.choices, overridden.choices)),
    estimatedInputTokens: Math.max(asked.estimatedInputTokens, overridden.estimatedInputTokens),
  };
}
