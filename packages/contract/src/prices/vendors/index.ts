import { announcedPrices } from './announced.ts';
import { anthropicPrices } from './anthropic.ts';
import { chinesePrices } from './china.ts';
import { cloudPrices } from './clouds.ts';
import { otherPrices } from './europe-and-america.ts';
import { googlePrices } from './google.ts';
import { openaiPrices } from './openai.ts';
export { vendorTerms } from './price-terms.ts';
import { inDollars, pricesIn, ratiosOf, type VendorPrice } from './vendor-price.ts';
import { dollarsOfYuan, yuanPrices } from './yuan.ts';

/** What vendors publish for models that the older tables beside this folder do not have, each model once. */
export const vendorPrices: readonly VendorPrice[] = [
  ...[openaiPrices, anthropicPrices, googlePrices, otherPrices, chinesePrices, cloudPrices].flatMap(pricesIn),
  ...pricesIn(yuanPrices).map((price) => inDollars(price, dollarsOfYuan)),
];

/** The same as ratios. An administrator's entry goes before them. */
export const vendorRatios = ratiosOf(vendorPrices);

/** Prices of input that vendors have announced, as ratios: the day (YYYY-MM-DD, UTC) from which they hold, earlier ones first. */
export const announcedRatios: readonly { day: string; model: Readonly<Record<string, number>> }[] =
  announcedPrices.map(({ day, prices }) => ({ day, model: ratiosOf(prices).model }));
