import { type Json, type JsonObject, objectOf, textOf } from '../../../lib/json.ts';
import type { FinishReason } from '../../types/index.ts';

/** A value of an enumeration; '' for none, also for Google's unspecified value. */
function wordOf(value: Json | undefined): string {
  const word = textOf(value);
  return word.endsWith('_UNSPECIFIED') ? '' : word;
}

/** The reason why a candidate ended; '' before its end. */
export const endOf = (candidate: JsonObject): string => wordOf(candidate.finishReason);

/** The reason why a prompt was refused; '' for an accepted one. */
export const blockOf = (body: JsonObject): string => wordOf(objectOf(body.promptFeedback).blockReason);

/**
 * Gemini's finish reasons in neutral form. All reasons other than an end or a bound are refusals by a filter or of the
 * model's own output (docs/compatibility.md#conversions).
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

/** A neutral reason in Gemini's form; for a filter the vendor's own reason, if it looks like one of Gemini's. */
export const writeReason = ({ unified, raw }: FinishReason): string =>
  unified === 'content-filter' && /^[A-Z][A-Z_]{2,}$/.test(raw) ? raw : reasons[unified];
