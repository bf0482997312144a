import * as z from 'zod/mini';

// The console checks settings during input. The small build of zod keeps the page light.

/** A text of at most `max` characters. */
export const textUpTo = (max: number) => z.string().check(z.maxLength(max));

/** A non-empty text of at most `max` characters. */
export const nameUpTo = (max: number) => z.string().check(z.minLength(1), z.maxLength(max));

export const matching = (pattern: RegExp) => z.string().check(z.regex(pattern));

export const wholeBetween = (min: number, max: number) => z.int().check(z.gte(min), z.lte(max));

/** A list of at most `max` entries. */
export const listUpTo = <Entry extends z.core.$ZodType>(max: number, entry: Entry) =>
  z.array(entry).check(z.maxLength(max));

/** Model names in order. */
export const modelList: z.ZodMiniType<readonly string[]> = listUpTo(1_000, nameUpTo(255));

/** Model or group → ratio or price, never negative. The bound is far above any price and keeps products exact. */
export const ratioTable: z.ZodMiniType<Readonly<Record<string, number>>> = z.record(
  nameUpTo(255),
  z.number().check(z.gte(0), z.lte(1_000_000_000)),
);
