import type { FinishReason } from '../../types/index.ts';

const unified: Readonly<Record<string, FinishReason['unified']>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool-calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  guardrail_intervened: 'content-filter',
  content_filtered: 'content-filter',
  malformed_model_output: 'error',
  malformed_tool_use: 'error',
};

/** Why an answer ended, from Bedrock's word; `sequence` is the stop sequence that was met, where a model tells it. */
export const readReason = (raw: string, sequence: unknown): FinishReason => ({
  unified: Object.hasOwn(unified, raw) ? unified[raw]! : 'other',
  raw,
  ...(typeof sequence === 'string' && { sequence }),
});
