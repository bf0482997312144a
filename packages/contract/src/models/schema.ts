import { z } from 'zod';
import { modelFacts } from '../api/pricing.ts';
import { priceTableKeys } from '../price-book/keys.ts';
import { priceTerms } from './term-schema.ts';

const day = z.iso.date();
const amount = z.number().positive();

/**
 * Prices per million tokens. A class without a price costs the same as text. `terms` has the tiers for long prompts.
 */
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
  /** Prices from the start of a day in UTC, in US dollars. All classes of a model change in the same proportion. */
  announced: z.array(tokenPrices.extend({ day })).min(1).exactOptional(),
  /** Tiers for long prompts and service tiers. */
  terms: priceTerms.exactOptional(),
  /** Option entries without a list price. ModelPrice of a video is the price of one second. */
  defaults: z.partialRecord(z.enum(priceTableKeys), z.number().min(0)).exactOptional(),
  facts: modelFacts.exactOptional(),
});

/** Schema of models.json: model facts in name order, one model per line. `npm run models` updates the file. */
export const modelBook = z.strictObject({
  /** Source list and date of the limits and abilities. */
  factsTaken: z.strictObject({ date: day, name: z.string() }),
  dollarsOfYuan: amount,
  /** Source of each kind of figure. */
  sources: z.record(z.string(), z.string().min(1)),
  models: z.record(z.string().regex(/^\S+$/), model),
});

export type ModelBook = z.output<typeof modelBook>;
export type Model = z.output<typeof model>;
export type TokenPrices = z.output<typeof tokenPrices>;

/** Text of models.json: sorted names, one model per line, so that a diff shows only the changed models. */
export function formatModelBook({ models, sources, ...rest }: ModelBook): string {
  const lines = (entries: readonly (readonly [string, unknown])[]) =>
    entries.map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)}`).join(',\n');
  const sorted = Object.entries(models).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const head = Object.entries(rest).map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)},\n`,
  );
  return `{\n${head.join('')}  "sources": {\n${lines(Object.entries(sources))}\n  },\n  "models": {\n${lines(sorted)}\n  }\n}\n`;
}
