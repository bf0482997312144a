import type { ChatRequest, RequestContext } from '../../../types/index.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { canThink, isClaude, thinkingOff, thinksAdaptively } from '../models.ts';
import { lacksThoughts } from '../own-signatures.ts';

/**
 * Thinking budgets in tokens for each effort, for models that accept only budgets.
 */
const budgets: Readonly<Record<string, number>> = {
  low: 1_280,
  medium: 2_048,
  high: 4_096,
  xhigh: 8_192,
  max: 16_384,
};
const minBudget = 1_024;
const efforts = new Set(['low', 'medium', 'high', 'xhigh', 'max']);

/** Thinking in the form of Messages. */
export interface WrittenThinking {
  isOn: boolean;
  fields: JsonObject;
  /** For `output_config`. */
  effort: string | undefined;
}

const off: WrittenThinking = { isOn: false, fields: {}, effort: undefined };

/**
 * Thinking in the format of the model's generation. It is turned off if the vendor would refuse it: with a forced tool, or
 * in a turn of tools without signed reasoning.
 */
export function writeThinking(
  request: ChatRequest,
  messages: readonly JsonObject[],
  { model, drop }: RequestContext,
): WrittenThinking {
  const { reasoning, toolChoice } = request;
  if (!reasoning) return off;
  if (reasoning.enabled === false || reasoning.effort === 'none') {
    const type = thinkingOff(model);
    if (type !== undefined) return { ...off, fields: { thinking: { type } } };
    // Models with permanent thinking get the lowest effort.
    if (canThink(model)) drop('reasoning');
    return { ...off, effort: canThink(model) ? 'low' : undefined };
  }
  const isForced = toolChoice?.type === 'required' || toolChoice?.type === 'tool';
  const isWanted = reasoning.effort !== 'minimal';
  const givesWay = isClaude(model) && (isForced || lacksThoughts(messages));
  if (!isWanted || !canThink(model) || givesWay) {
    if (isWanted) drop('reasoning');
    return off;
  }
  const display = reasoning.summary === 'omitted' ? { display: 'omitted' } : {};
  if (thinksAdaptively(model)) {
    const effort = reasoning.effort ?? effortOf(reasoning.budgetTokens);
    return {
      isOn: true,
      fields: { thinking: { type: 'adaptive', ...display } },
      effort: effort !== undefined && efforts.has(effort) ? effort : undefined,
    };
  }
  return withBudget(request, display, drop);
}

function effortOf(budget: number | undefined): string | undefined {
  if (budget === undefined) return undefined;
  if (budget <= 2_048) return 'low';
  return budget <= 16_384 ? 'medium' : 'high';
}

/** The budget is below the output bound, and leaves a fifth of it for the answer. */
function withBudget(
  { reasoning, maxOutputTokens }: ChatRequest,
  display: JsonObject,
  drop: RequestContext['drop'],
): WrittenThinking {
  const wanted = reasoning?.budgetTokens ?? budgets[reasoning?.effort ?? 'medium'] ?? 2_048;
  const most = maxOutputTokens === undefined ? wanted : Math.trunc(maxOutputTokens * 0.8);
  const budget = Math.max(minBudget, Math.min(wanted, most));
  if (maxOutputTokens !== undefined && budget >= maxOutputTokens) {
    drop('reasoning');
    return off;
  }
  return {
    isOn: true,
    fields: { thinking: { type: 'enabled', budget_tokens: budget, ...display } },
    effort: undefined,
  };
}
