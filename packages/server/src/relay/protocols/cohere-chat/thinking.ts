import type { ReasoningRequest, RequestContext } from '../../types/index.ts';
import type { JsonObject } from '../../../lib/json.ts';

/** Cohere's reasoning models; all others refuse a budget. */
export const thinks = (model: string): boolean => /reasoning|command-a-plus/.test(model);

/** Budgets by effort: Cohere has only budgets. */
const budgets: Readonly<Record<string, number>> = {
  minimal: 512,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  xhigh: 24_576,
  max: 31_000,
};

/** The amount of thinking. A request to think without an amount is left to the model, which thinks by default. */
export function writeThinking(
  reasoning: ReasoningRequest | undefined,
  { model, drop }: Pick<RequestContext, 'model' | 'drop'>,
): JsonObject {
  if (!reasoning) return {};
  const isOff = reasoning.enabled === false || reasoning.effort === 'none';
  if (!thinks(model)) {
    if (!isOff) drop('reasoning');
    return {};
  }
  if (isOff) return { thinking: { type: 'disabled' } };
  const budget = reasoning.budgetTokens ?? budgets[reasoning.effort ?? ''];
  return { thinking: { type: 'enabled', ...(budget !== undefined && { token_budget: budget }) } };
}
