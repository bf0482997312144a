import { ratioDigits } from '../../price-decimal.ts';

/**
 * What a vendor publishes for some of its models: US dollars per million tokens. What is priced by length of context
 * stands here at the price of the shorter ones; price-terms.ts has the others.
 */
export interface VendorPrice {
  models: readonly string[];
  input: number;
  /** Absent where nothing is written: embeddings, rerankers. */
  output: number | undefined;
  /** Input read from the cache; priced as input where absent, as are images and sound. */
  cacheRead: number | undefined;
  imageInput: number | undefined;
  /** Images made, by their tokens; priced as text where absent. */
  imageOutput: number | undefined;
  audioInput: number | undefined;
  audioOutput: number | undefined;
}

/**
 * The prices in a vendor's table: on each line names, and behind them input, output, cache read, image input, image
 * output, audio input and audio output; `-` for what the vendor does not publish. A text takes the least of the page that
 * shows it.
 */
export const pricesIn = (table: string): VendorPrice[] => table.trim().split('\n').map(priceOf);

function priceOf(line: string): VendorPrice {
  const words = line.split(' ');
  const first = words.findIndex((word) => /^[\d.]+$/.test(word));
  const values = words.slice(first).map((word) => (word === '-' ? undefined : Number(word)));
  const [input = Number.NaN, output, cacheRead, imageInput, imageOutput, audioInput, audioOutput] = values;
  const models = words.slice(0, first);
  return { models, input, output, cacheRead, imageInput, imageOutput, audioInput, audioOutput };
}

/** Prices of another currency, at so many dollars of its unit. */
export function inDollars({ models, ...prices }: VendorPrice, rate: number): VendorPrice {
  const convert = (amount: number): number => Number((amount * rate).toPrecision(9));
  const times = (amount: number | undefined): number | undefined =>
    amount === undefined ? undefined : convert(amount);
  return {
    models,
    input: convert(prices.input),
    output: times(prices.output),
    cacheRead: times(prices.cacheRead),
    imageInput: times(prices.imageInput),
    imageOutput: times(prices.imageOutput),
    audioInput: times(prices.audioInput),
    audioOutput: times(prices.audioOutput),
  };
}

/** Dollars per million tokens of the ratio 1. */
const dollarsOfRatio = 2;

const spread = (
  prices: readonly VendorPrice[],
  ratioOf: (price: VendorPrice) => number | undefined,
): Record<string, number> =>
  Object.fromEntries(
    prices.flatMap((price) => {
      const ratio = ratioOf(price);
      return ratio === undefined ? [] : price.models.map((model) => [model, ratio]);
    }),
  );

/** A price over another, with the places that ratios have: the price function takes 2.5 / 0.3 = 8.333333333 for the quotient. */
const over = (price: number | undefined, base: number | undefined): number | undefined =>
  price === undefined || base === undefined ? undefined : Number((price / base).toFixed(ratioDigits));

/** Ratios as the options have them, of the models whose vendors publish such a price. */
export const ratiosOf = (prices: readonly VendorPrice[]) => ({
  model: spread(prices, ({ input }) => over(input, dollarsOfRatio)),
  completion: spread(prices, ({ input, output }) => over(output, input)),
  cache: spread(prices, ({ input, cacheRead }) => over(cacheRead, input)),
  image: spread(prices, ({ input, imageInput }) => over(imageInput, input)),
  imageCompletion: spread(prices, ({ input, imageOutput }) => over(imageOutput, input)),
  audio: spread(prices, ({ input, audioInput }) => over(audioInput, input)),
  audioCompletion: spread(prices, ({ audioInput, audioOutput }) => over(audioOutput, audioInput)),
});
