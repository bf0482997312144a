import type { PriceTerms } from '../price-terms.ts';
import { vendorTerms } from './vendors/index.ts';

/** What dates and efforts add to a model's name; they change no price. */
const additions = [
  /-(thinking|nothinking)(-\d+)?$/,
  /-(minimal|low|medium|high|xhigh|max|none)$/,
  /-(20\d\d-\d\d-\d\d|20\d{6}|preview-\d\d-\d\d|exp-\d\d-\d\d|v\d+(:\d+)?)$/,
];

const none: PriceTerms = {};

/** The terms of a model beyond its ratios: the administrator's entry, else the vendor's, also under a name with a date. */
export function termsFor(model: string, option: Readonly<Record<string, PriceTerms>>): PriceTerms {
  let name = model;
  if (Object.hasOwn(option, name)) return option[name]!;
  for (const addition of [/$/, ...additions]) {
    name = name.replace(addition, '');
    if (Object.hasOwn(vendorTerms, name)) return vendorTerms[name]!;
  }
  return none;
}
