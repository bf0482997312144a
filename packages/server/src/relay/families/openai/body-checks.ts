import type { RelayErrorName } from '@tollgate/contract/relay-errors';
import { isObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { type RefuseArguments, tableError } from '../../types/index.ts';

/** The largest bound on tokens that makes sense (docs/compatibility.md#steps-of-a-chat-call: 2^31 / 2). */
const maxTokenBound = 2 ** 30;
const maxChoices = 128;

/** Refuses a body by the name of the rule that it breaks. */
export type Refuse = <Name extends RelayErrorName>(name: Name, ...values: RefuseArguments<Name>) => never;
/** Refusals with an endpoint's code and status 400. */
export const refuser =
  (code: string): Refuse =>
  (name, ...[values]) => {
    throw tableError(name, values ?? {}, { code });
  };

const isAbsent = (value: Json | undefined): value is null | undefined =>
  value === undefined || value === null;

/** A non-empty text field. */
export function requiredText(body: JsonObject, field: string, no: Refuse): string {
  const value = body[field];
  if (typeof value !== 'string' || value === '') return no('field_required', { field });
  return value;
}

/** A whole number within bounds, or the fallback when the field is absent. Anything else is refused: it sizes money. */
export function wholeNumber(
  body: JsonObject,
  field: string,
  bounds: { least: number; most: number; fallback: number },
  no: Refuse,
): number {
  const value = body[field];
  if (isAbsent(value)) return bounds.fallback;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < bounds.least || value > bounds.most) {
    return no('field_out_of_range', { field, least: bounds.least, most: bounds.most });
  }
  return value;
}

/** `n` or `best_of`: answers asked for. */
export const choicesOf = (body: JsonObject, field: string, no: Refuse): number =>
  wholeNumber(body, field, { least: 1, most: maxChoices, fallback: 1 }, no);

/** A bound on output tokens; 0 for none. */
export const tokenBound = (body: JsonObject, field: string, no: Refuse): number =>
  body[field] === -1 ? 0 : wholeNumber(body, field, { least: 0, most: maxTokenBound, fallback: 0 }, no);

/** Whether a stream is asked for, and its usage with it. */
export function streamOptionsOf(
  body: JsonObject,
  no: Refuse,
): { stream: boolean; wantsStreamUsage: boolean } {
  const { stream, stream_options: options } = body;
  if (!isAbsent(stream) && typeof stream !== 'boolean') return no('field_not_boolean', { field: 'stream' });
  if (!isAbsent(options) && !isObject(options)) return no('field_not_object', { field: 'stream_options' });
  return {
    stream: stream === true,
    wantsStreamUsage: stream === true && isObject(options) && options.include_usage === true,
  };
}
