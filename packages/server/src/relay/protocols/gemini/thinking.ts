import { entryOf } from '../../../lib/json.ts';
import { isLevelGemini } from '@tollgate/contract';
import type { ReasoningRequest } from '../../types/index.ts';
import type { JsonObject } from '../../../lib/json.ts';

/** Gemini accepts a level from the third generation on, a token budget before it. */
const takesLevel = isLevelGemini;

/** From the fourth generation on it accepts no budget, always thinks, and has no level below `low`. */
export const thinksAlways = (model: string): boolean => /gemini-([4-9]|\d\d)/.test(model);

/** A budget as a level, for models without budgets. */
export const levelOfBudget = (budget: number): string =>
  budget <= 2_048 ? 'low' : budget <= 12_288 ? 'medium' : 'high';

/** Limits a budget to what the model accepts. */
export function boundBudget(model: string, budget: number): number {
  if (!model.includes('gemini')) return budget;
  const [least, most] = model.includes('2.5-pro')
    ? [128, 32_768]
    : model.includes('flash-lite')
      ? [512, 24_576]
      : [0, 24_576];
  return Math.min(Math.max(budget, least), most);
}

/** Tokens of an effort, as in Google's own OpenAI interface. */
const budgets: Readonly<Record<string, number>> = {
  none: 0,
  minimal: 1_024,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
};
const levels: Readonly<Record<string, string>> = { none: 'minimal', xhigh: 'high', max: 'high' };

/** Requested reasoning of any protocol as `thinkingConfig`; undefined without a request. */
export function writeThinking(
  reasoning: ReasoningRequest | undefined,
  model: string,
): JsonObject | undefined {
  if (!reasoning) return undefined;
  const { effort, budgetTokens, enabled, summary } = reasoning;
  const isOff = enabled === false || effort === 'none' || budgetTokens === 0;
  const includeThoughts = !isOff && summary !== 'omitted';
  const shown = includeThoughts ? { includeThoughts } : {};
  if (thinksAlways(model)) {
    const level = levelOf(isOff, effort, budgetTokens);
    return level === undefined ? shown : { thinkingLevel: level, ...shown };
  }
  if (isOff)
    return takesLevel(model) ? { thinkingLevel: 'minimal' } : { thinkingBudget: boundBudget(model, 0) };
  if (effort !== undefined && takesLevel(model))
    return { thinkingLevel: entryOf(levels, effort) ?? effort, ...shown };
  const budget = budgetTokens ?? (effort === undefined ? undefined : entryOf(budgets, effort));
  if (budget === undefined) return Object.keys(shown).length > 0 ? shown : undefined;
  return { thinkingBudget: boundBudget(model, budget), ...shown };
}

/** The level of a model that always thinks; undefined leaves it to the model. */
function levelOf(isOff: boolean, effort: string | undefined, budget: number | undefined): string | undefined {
  if (isOff || effort === 'minimal') return 'low';
  if (effort !== undefined) return entryOf(levels, effort) ?? effort;
  return budget === undefined ? undefined : levelOfBudget(budget);
}
