import { z } from 'zod';

/** How a form writes a whole number. */
export const wholePattern = /^-?\d{1,16}$/;

/**
 * A whole number from a form or an address: a number, or its digits as text. Nothing else: coercion would read null,
 * '' and [] as 0, and a balance saved as null must be refused, not emptied.
 */
export const whole = (min: number, max: number) =>
  z
    .union([z.number(), z.string().trim().regex(wholePattern).transform(Number)])
    .pipe(z.number().int().min(min).max(max));
