import { z } from 'zod';
import { modelFacts } from '../api/pricing.ts';
import { priceTableKeys } from '../price-book/keys.ts';
import { priceTerms } from './term-schema.ts';

const day = z.iso.date();
const amount = z.number().positive();

/** Prices per million tokens; a class without one is billed as its text. Tiers for long prompts are in `terms`. */
const tokenPrices = z.strictObject({
  input: amount,
  output: amount.exactOptional(),
  cacheRead: amount.exactOptional(),
  imageInput: amount.exactOptional(),
  imageOutput: amount.exactOptional(),
  audioInput: amount.exactOptional(),
  audioOutput: amount.exactOptional(),
});

const model = z.strictObject({
  /** The vendor's list price, in US dollars unless a currency is named, and the id of its source. */
  price: tokenPrices
    .extend({ currency: z.literal('CNY').exactOptional(), source: z.string() })
    .exactOptional(),
  /** Prices that apply from the start of a day in UTC, in US dollars. All classes of a model change alike. */
  announced: z.array(tokenPrices.extend({ day })).min(1).exactOptional(),
  /** Tiers for long prompts and service tiers. */
  terms: priceTerms.exactOptional(),
  /** Entries of the options that no list price decides. A video's ModelPrice is that of a second. */
  defaults: z.partialRecord(z.enum(priceTableKeys), z.number().min(0)).exactOptional(),
  facts: modelFacts.exactOptional(),
});

/**
 * Schema of models.json: facts of each model by name, ordered by name, one model per line. `npm run models` refreshes
 * it.
 */
export const modelBook = z.strictObject({
  /** List and day of the limits and abilities. */
  factsTaken: z.strictObject({ date: day, name: z.string() }),
  dollarsOfYuan: amount,
  /** Where each kind of figure comes from. */
  sources: z.record(z.string(), z.string().min(1)),
  models: z.record(z.string().regex(/^\S+$/), model),
});

export type ModelBook = z.output<typeof modelBook>;
export type Model = z.output<typeof model>;
export type TokenPrices = z.output<typeof tokenPrices>;

/** The text of models.json: sorted names, one model a line, so that a change shows as the line of its model. */
export function formatModelBook({ models, sources, ...rest }: ModelBook): string {
  const lines = (entries: readonly (readonly [string, unknown])[]) =>
    entries.map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)}`).join(',\n');
  const sorted = Object.entries(models).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const head = Object.entries(rest).map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)},\n`,
  );
  return `{\n${head.join('')}  "sources": {\n${lines(Object.entries(sources))}\n  },\n  "models": {\n${lines(sorted)}\n  }\n}\n`;
}
