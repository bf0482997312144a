import { fieldsOf, isFree, type Listing, type ReadList, tokenPrice } from './listing.ts';
import { vendorOf } from './vendors.ts';

/** Their fields, in dollars per million tokens. */
const fields = {
  input: 'input',
  output: 'output',
  cacheRead: 'cache_read',
  cacheWrite: 'cache_write',
  audioInput: 'input_audio',
  audioOutput: 'output_audio',
} as const;

/** `https://models.dev/api.json`: provider → `models` → model → `cost`. */
export const readModelsDev: ReadList = (json) => {
  const providers = fieldsOf(json);
  if (!providers) throw new Error('not an object of providers');
  return Object.entries(providers).flatMap(([id, provider]) => {
    const models = fieldsOf(fieldsOf(provider)?.['models']) ?? {};
    return Object.entries(models).flatMap(([model, about]) => listingOf(vendorOf(id), model, about));
  });
};

function listingOf(vendor: string, model: string, about: unknown): Listing[] {
  const cost = fieldsOf(fieldsOf(about)?.['cost']);
  if (!cost) return [];
  const names = [model];
  if (isFree(cost, 'input', 'output')) return [{ names, vendor, dollars: null }];
  const dollars = tokenPrice(cost, fields, 'million');
  return dollars ? [{ names, vendor, dollars }] : [];
}
