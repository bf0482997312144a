import { entryOf } from './entry.ts';
import { vendorRatios } from './vendors/index.ts';

/** What an input token read from the cache costs: the administrator's entry, else the vendor's, else as much as any. */
export const cacheRatioFor = (model: string, option: Readonly<Record<string, number>>): number =>
  entryOf(option, model) ?? entryOf(vendorRatios.cache, model) ?? 1;
