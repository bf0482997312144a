import { callPrice, fieldsOf, isFree, type Listing, numberOf, type ReadList, tokenPrice } from './listing.ts';
import { vendorOf } from './vendors.ts';

/** Their fields, in dollars per token, as decimal text. */
const fields = {
  input: 'prompt',
  output: 'completion',
  cacheRead: 'input_cache_read',
  cacheWrite: 'input_cache_write',
  audioInput: 'audio',
  audioOutput: 'audio_output',
} as const;

/** `https://openrouter.ai/api/v1/models`: `data`, each with `id` as `vendor/model` and `pricing`. */
export const readOpenRouter: ReadList = (json) => {
  const list = fieldsOf(json)?.['data'];
  if (!Array.isArray(list)) throw new Error('no list of models in "data"');
  return list.flatMap((about: unknown) => listingOf(about));
};

function listingOf(about: unknown): Listing[] {
  const model = fieldsOf(about);
  const id = model?.['id'];
  const pricing = fieldsOf(model?.['pricing']);
  if (typeof id !== 'string' || !pricing) return [];
  // Its routers, whose price depends on what they choose, have -1.
  if ([pricing['prompt'], pricing['completion']].some((value) => (numberOf(value) ?? 0) < 0)) return [];
  const slash = id.indexOf('/');
  const vendor = vendorOf(slash > 0 ? id.slice(0, slash) : '');
  const names = slash > 0 ? [id, id.slice(slash + 1)] : [id];
  const dollars = tokenPrice(pricing, fields, 'token') ?? callPrice(pricing, 'request');
  if (dollars) return [{ names, vendor, dollars }];
  return isFree(pricing, 'prompt', 'completion') ? [{ names, vendor, dollars: null }] : [];
}
