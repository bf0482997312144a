import { cutSuffix } from '@tollgate/contract';
import { keepsSuffix } from '../../conversation/index.ts';
import { isObject, type JsonObject, objectOf } from '../../../lib/json.ts';
import type { Adapted, AdaptContext } from '../../types/index.ts';
import { boundBudget, levelOfBudget, thinksAlways } from './thinking.ts';

/** The budget for a request without an output bound. */
const maxBudget = 24_576;

interface Wanted {
  model: string;
  config: JsonObject;
  /** The effort in the log. */
  effort: string | undefined;
}

/**
 * Thinking suffixes of model names (docs/compatibility.md#steps-of-a-chat-call), if `gemini.thinking_adapter_enabled`
 * is on: `-thinking`, `-thinking-<budget>`, `-nothinking`, and the levels of Gemini 3. They take precedence over a
 * budget in the request, because the name determines the price.
 */
export function adaptThinking(body: JsonObject, { model, options, requestedModel }: AdaptContext): Adapted {
  const { settings } = options;
  if (settings['gemini.thinking_adapter_enabled'] !== true) return {};
  if (keepsSuffix(settings, model, requestedModel)) return {};
  const config = objectOf(body.generationConfig);
  const wanted = wantedBy(model, config, settings);
  if (!wanted) return {};
  const asked = isObject(config.thinkingConfig) ? config.thinkingConfig : {};
  const { thinkingBudget: _budget, thinkingLevel: _level, ...rest } = asked;
  body.generationConfig = { ...config, thinkingConfig: { ...rest, ...wanted.config } };
  return { model: wanted.model, ...(wanted.effort !== undefined && { reasoningEffort: wanted.effort }) };
}

function wantedBy(
  model: string,
  config: JsonObject,
  settings: Readonly<Record<string, unknown>>,
): Wanted | undefined {
  const cut = cutSuffix(model, 'gemini', 'gemini-level');
  if (!cut) return undefined;
  const { model: base, suffix } = cut;
  if (suffix === 'nothinking') return off(base);
  if (suffix === 'thinking') {
    return on(base, shareOf(base, config, settings['gemini.thinking_adapter_budget_tokens_percentage']));
  }
  if (suffix.startsWith('thinking-')) return on(base, boundBudget(base, Number(suffix.split('-')[1])));
  return { model: base, config: { thinkingLevel: suffix, includeThoughts: true }, effort: suffix };
}

const on = (model: string, thinkingBudget: number): Wanted => ({
  model,
  config: {
    ...(thinksAlways(model) ? { thinkingLevel: levelOfBudget(thinkingBudget) } : { thinkingBudget }),
    includeThoughts: true,
  },
  effort: undefined,
});

/**
 * Models that cannot turn thinking off get the lowest amount: the newest, and the large one of the second generation.
 */
const off = (model: string): Wanted => ({
  model,
  config: thinksAlways(model)
    ? { thinkingLevel: 'low' }
    : { thinkingBudget: model.includes('2.5-pro') ? boundBudget(model, 0) : 0 },
  effort: undefined,
});

/** A share of the caller's output bound. */
function shareOf(model: string, config: JsonObject, share: unknown): number {
  const bound = config.maxOutputTokens ?? config.max_output_tokens;
  if (typeof bound !== 'number' || bound <= 0) return maxBudget;
  return boundBudget(model, Math.trunc(bound * (typeof share === 'number' ? share : 0.6)));
}
