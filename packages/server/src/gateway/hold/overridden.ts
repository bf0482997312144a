import { mayCostMore } from '@tollgate/contract';
import type { JsonObject } from '../../lib/json.ts';
import { applyOverride } from '../../relay/override.ts';
import { writeSystemPrompt } from '../../relay/system-prompt.ts';
import { answerNumbers, type Channel, operationsOf, type RequestFacts } from '../../relay/types/index.ts';
import type { RelayCall } from '../call/index.ts';
import { moreUses } from './hold.ts';

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

/** Names of the output limit, in all protocols of channels. */
const bounds = ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens', 'maxTokens'];

/** True if an override may change the price of a call. */
function changesPrice(override: JsonObject): boolean {
  const operations = operationsOf(override);
  const touches = (path: unknown): boolean => typeof path === 'string' && !free.has(path.split('.')[0]!);
  return (
    Object.entries(override).some(([key]) => (operations && key === 'operations' ? false : !free.has(key))) ||
    (operations ?? []).some(({ mode, path, from, to }) =>
      mode === 'move' || mode === 'copy' ? touches(from) || touches(to) : touches(path),
    )
  );
}

/** A call with a channel's override and instructions applied. Never sent: the relay writes the channel's own request. */
export interface OverriddenCall {
  /** For the charge: the request as the channel gets it. */
  sent: RelayCall;
  /** For the hold: the greater of both requests in each respect. */
  toHold: RelayCall;
}

/** A call as a channel's override and instructions change it. Undefined if they change no price. */
export function overriddenCall(
  relayCall: RelayCall,
  { paramOverride, setting }: Channel,
): OverriddenCall | undefined {
  const { systemPrompt } = setting;
  const override = paramOverride && changesPrice(paramOverride) ? paramOverride : undefined;
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
  const { model, stream, wantsStreamUsage } = facts;
  const sent = {
    ...relayCall,
    json,
    raw: nothing,
    facts: { ...(read ?? facts), model, stream, wantsStreamUsage },
  };
  return { sent, toHold: { ...relayCall, json, facts: more(facts, read, json) } };
}

const nothing = Buffer.alloc(0);

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
  const media = overridden.media ?? asked.media;
  return {
    ...asked,
    ...overridden,
    model: asked.model,
    stream: asked.stream,
    maxOutputTokens: isBound ? most(bounds, bound) : 0,
    choices: most(answerNumbers, Math.max(asked.choices, overridden.choices)),
    estimatedInputTokens: Math.max(asked.estimatedInputTokens, overridden.estimatedInputTokens),
    ...(media && {
      media: {
        ...media,
        calls: Math.max(asked.media?.calls ?? 0, media.calls),
        factor: Math.max(asked.media?.factor ?? 0, media.factor),
      },
    }),
    // Also where the request as a whole cannot be read.
    ...(mayCostMore(json.service_tier) && { mayCostMore: true }),
    ...(asked.mostUses && overridden.mostUses && { mostUses: moreUses(asked.mostUses, overridden.mostUses) }),
  };
}
