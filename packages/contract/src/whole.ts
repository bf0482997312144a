import { z } from 'zod';
import { meanings } from './meanings.ts';

/** Text form of a whole number. */
export const wholePattern = /^-?\d{1,16}$/;

const numberLike = (pattern: RegExp, error: string | undefined) =>
  z.union([z.number(error), z.string(error).trim().regex(pattern, error).transform(Number)], error);

/**
 * A whole number from a form or an address: a number, or a text of digits. Coercion would read null, '' and [] as 0
 * and true as 1. A balance saved as null must be refused, not set to 0.
 *
 * @param error - our error code for refused values; without it the message names the field
 */
export const whole = (min: number, max: number, error?: string) =>
  numberLike(wholePattern, error).pipe(z.number(error).int(error).min(min, error).max(max, error));

/** Text form of a number with an optional fraction. */
export const decimalPattern = /^-?\d{1,16}(\.\d{1,16})?$/;

/** A number with an optional fraction from a form. Like `whole`, it is a number or its digits as text. */
export const decimal = (check: z.ZodNumber, error?: string) => numberLike(decimalPattern, error).pipe(check);

/** When credit that an administrator gives expires: Unix seconds, 0 for never. */
export const creditEnd = whole(0, 100_000_000_000).default(0).meta(meanings.secondsOrForever);
