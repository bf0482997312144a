import * as z from 'zod/mini';

// The console checks settings while they are typed. The small build of the library keeps its page light.

/** A text of at most so many characters. */
export const textUpTo = (max: number) => z.string().check(z.maxLength(max));

/** A text that is not empty, of at most so many characters. */
export const nameUpTo = (max: number) => z.string().check(z.minLength(1), z.maxLength(max));

export const matching = (pattern: RegExp) => z.string().check(z.regex(pattern));

export const wholeBetween = (min: number, max: number) => z.int().check(z.gte(min), z.lte(max));

/** A list of at most so many entries. */
export const listUpTo = <Entry extends z.core.$ZodType>(max: number, entry: Entry) =>
  z.array(entry).check(z.maxLength(max));

/** Names of models, in an order. */
export const modelList: z.ZodMiniType<readonly string[]> = listUpTo(1_000, nameUpTo(255));

/** Model or group → ratio or price. Never negative; the bound is far above any price and keeps products exact. */
export const ratioTable: z.ZodMiniType<Readonly<Record<string, number>>> = z.record(
  nameUpTo(255),
  z.number().check(z.gte(0), z.lte(1_000_000_000)),
);
