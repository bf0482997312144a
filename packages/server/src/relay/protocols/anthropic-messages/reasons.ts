import type { FinishReason } from '../../types/index.ts';

const unified: Readonly<Record<string, FinishReason['unified']>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  // A turn of the vendor's own tools that can be continued.
  pause_turn: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool-calls',
  refusal: 'content-filter',
};

/** The finish reason from Anthropic's word; `sequence` is the stop sequence that was met. */
export const readReason = (raw: string, sequence: unknown): FinishReason => ({
  unified: Object.hasOwn(unified, raw) ? unified[raw]! : 'other',
  raw,
  ...(typeof sequence === 'string' && { sequence }),
});

const written: Readonly<Record<FinishReason['unified'], string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'content-filter': 'refusal',
  error: 'end_turn',
  other: 'end_turn',
};

/**
 * The finish reason in Anthropic's form, unchanged if it is from Anthropic. An answer with tool calls ends with
 * `tool_use`, because clients run tools only after that reason, although some vendors report a plain stop.
 */
export function writeReason(reason: FinishReason | undefined, hasTools: boolean): string {
  if (!reason) return hasTools ? 'tool_use' : 'end_turn';
  if (Object.hasOwn(unified, reason.raw))
    return reason.raw === 'end_turn' && hasTools ? 'tool_use' : reason.raw;
  return reason.unified === 'stop' && hasTools ? 'tool_use' : written[reason.unified];
}
