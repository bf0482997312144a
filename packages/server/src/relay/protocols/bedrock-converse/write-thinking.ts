import type { ChatRequest, ReasoningRequest, RequestContext } from '../../types/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { isClaude, isGptOss, isThinkingNova } from './families.ts';

interface WrittenThinking {
  /** For `additionalModelRequestFields`. */
  fields: JsonObject;
  /** Members of `inferenceConfig` to remove; undefined members are not sent. */
  config: JsonObject;
}

const nothing: WrittenThinking = { fields: {}, config: {} };
/** Nova accepts no sampling and no output bound with its highest effort. */
const noBounds: JsonObject = { temperature: undefined, topP: undefined, maxTokens: undefined };

/**
 * Thinking budgets in tokens for each effort, for models that accept only budgets.
 */
const budgets: Readonly<Record<string, number>> = { low: 1_280, medium: 2_048, high: 4_096 };

/** The amount of thinking in the form of the model's family; other families keep their default. */
export function writeThinking(
  { reasoning, sampling, maxOutputTokens }: ChatRequest,
  { model, drop }: RequestContext,
): WrittenThinking {
  if (!reasoning) return nothing;
  const isOff = reasoning.enabled === false || reasoning.effort === 'none';
  const effort = effortOf(reasoning);
  if (isThinkingNova(model)) {
    if (isOff) return { ...nothing, fields: { reasoningConfig: { type: 'disabled' } } };
    const fields = { reasoningConfig: { type: 'enabled', maxReasoningEffort: effort } };
    if (effort !== 'high') return { ...nothing, fields };
    for (const [name, value] of Object.entries({ ...sampling, maxOutputTokens })) {
      if (value !== undefined && forbiddenWithThinking.has(name)) drop(name);
    }
    return { fields, config: noBounds };
  }
  if (isGptOss(model) && !isOff) return { ...nothing, fields: { reasoning_effort: effort } };
  if (isClaude(model)) {
    if (isOff) return { ...nothing, fields: { thinking: { type: 'disabled' } } };
    const budget = reasoning.budgetTokens ?? budgets[effort]!;
    if (maxOutputTokens === undefined || budget < maxOutputTokens) {
      return {
        fields: { thinking: { type: 'enabled', budget_tokens: budget } },
        config: { temperature: undefined, topP: undefined },
      };
    }
  }
  if (!isOff) drop('reasoning');
  return nothing;
}

const forbiddenWithThinking = new Set(['temperature', 'topP', 'maxOutputTokens']);

function effortOf({ effort, budgetTokens }: ReasoningRequest): 'low' | 'medium' | 'high' {
  if (effort === 'minimal' || effort === 'low') return 'low';
  if (effort === 'high' || effort === 'xhigh' || effort === 'max') return 'high';
  if (effort !== undefined || budgetTokens === undefined) return 'medium';
  if (budgetTokens <= 2_048) return 'low';
  return budgetTokens <= 12_288 ? 'medium' : 'high';
}
