import { isObject, type Json, type JsonObject } from '../json.ts';
import { refuse } from '../relay-error.ts';

/** The largest bound on tokens that makes sense (wire-facts 5.3: 2^31 / 2). */
const maxTokenBound = 2 ** 30;
const maxChoices = 128;

/** Refuses a body in the words of the original: code of the endpoint, status 400. */
export type Refuse = (message: string) => never;
export const refuser =
  (code: string): Refuse =>
  (message) => {
    throw refuse(400, code, message);
  };

const isAbsent = (value: Json | undefined): value is null | undefined =>
  value === undefined || value === null;

/** A non-empty text field. */
export function requiredText(body: JsonObject, field: string, no: Refuse): string {
  const value = body[field];
  if (typeof value !== 'string' || value === '') return no(`field ${field} is required`);
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
    return no(`${field} must be a whole number from ${bounds.least} to ${bounds.most}`);
  }
  return value;
}

/** `n` or `best_of`: answers asked for. */
export const choicesOf = (body: JsonObject, field: string, no: Refuse): number =>
  wholeNumber(body, field, { least: 1, most: maxChoices, fallback: 1 }, no);

/** A bound on output tokens; 0 for none. */
export const tokenBound = (body: JsonObject, field: string, no: Refuse): number =>
  wholeNumber(body, field, { least: 0, most: maxTokenBound, fallback: 0 }, no);

/** Whether a stream is asked for, and its usage with it. */
export function streamWish(body: JsonObject, no: Refuse): { stream: boolean; wantsStreamUsage: boolean } {
  const { stream, stream_options: options } = body;
  if (!isAbsent(stream) && typeof stream !== 'boolean') return no('stream must be true or false');
  if (!isAbsent(options) && !isObject(options)) return no('stream_options must be an object');
  return {
    stream: stream === true,
    wantsStreamUsage: stream === true && isObject(options) && options.include_usage === true,
  };
}
