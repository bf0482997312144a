import type { FinishReason } from '../../types/index.ts';

const unified: Readonly<Record<string, FinishReason['unified']>> = {
  COMPLETE: 'stop',
  STOP_SEQUENCE: 'stop',
  MAX_TOKENS: 'length',
  TOOL_CALL: 'tool-calls',
};

/** Answers that end so are failures: Cohere broke off. */
export const failedReasons: ReadonlySet<string> = new Set(['ERROR', 'TIMEOUT']);

/** Why an answer ended; a reason that is not known stands for itself. */
export const readReason = (raw: string): FinishReason => ({
  unified: Object.hasOwn(unified, raw) ? unified[raw]! : 'other',
  raw,
});
