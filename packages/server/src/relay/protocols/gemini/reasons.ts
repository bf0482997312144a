import { type Json, type JsonObject, objectOf, textOf } from '../../../lib/json.ts';
import type { FinishReason } from '../../types/index.ts';

/** A value of an enumeration; '' for none, also for Google's unspecified value. */
function wordOf(value: Json | undefined): string {
  const word = textOf(value);
  return word.endsWith('_UNSPECIFIED') ? '' : word;
}

/** Why a candidate ended; '' while it has not. */
export const endOf = (candidate: JsonObject): string => wordOf(candidate.finishReason);

/** Why a prompt was refused; '' for one that was not. */
export const blockOf = (body: JsonObject): string => wordOf(objectOf(body.promptFeedback).blockReason);

/**
 * Gemini's finish reasons in neutral words. All that are neither an end nor a bound are refusals of some filter or
 * of the model's own output (docs/compatibility.md#conversions).
 */
export function readReason(raw: string, hasCalls: boolean): FinishReason {
  if (raw === 'STOP') return { unified: hasCalls ? 'tool-calls' : 'stop', raw };
  if (raw === 'MAX_TOKENS') return { unified: 'length', raw };
  return { unified: 'content-filter', raw };
}

const reasons: Readonly<Record<FinishReason['unified'], string>> = {
  stop: 'STOP',
  'tool-calls': 'STOP',
  length: 'MAX_TOKENS',
  'content-filter': 'SAFETY',
  error: 'OTHER',
  other: 'OTHER',
};

/** A neutral reason in Gemini's words; of a filter the vendor's own, where it looks like one of Gemini's. */
export const writeReason = ({ unified, raw }: FinishReason): string =>
  unified === 'content-filter' && /^[A-Z][A-Z_]{2,}$/.test(raw) ? raw : reasons[unified];
