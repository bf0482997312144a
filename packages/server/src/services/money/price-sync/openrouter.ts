import {
  callPrice,
  type Fields,
  fieldsOf,
  isFree,
  type Listing,
  numberOf,
  type ReadList,
  tokenPrice,
} from './listing.ts';
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
  const pricing = dearestOfDay(fieldsOf(model?.['pricing']));
  if (typeof id !== 'string' || !pricing) return [];
  // OpenRouter's routers have the price -1, because it depends on the chosen model.
  if ([pricing['prompt'], pricing['completion']].some((value) => (numberOf(value) ?? 0) < 0)) return [];
  const slash = id.indexOf('/');
  const vendor = vendorOf(slash > 0 ? id.slice(0, slash) : '');
  const names = slash > 0 ? [id, id.slice(slash + 1)] : [id];
  const dollars = tokenPrice(pricing, fields, 'token') ?? callPrice(pricing, 'request');
  if (dollars) return [{ names, vendor, dollars }];
  return isFree(pricing, 'prompt', 'completion') ? [{ names, vendor, dollars: null }] : [];
}

/**
 * Prices that apply at all hours: of prices that change by the hour, the highest. The list has those of the time of the
 * request, and all windows of the day as `overrides` with `utc_start` (openrouter.ai/docs/guides/overview/models,
 * "Pricing Overrides").
 */
function dearestOfDay(pricing: Fields | undefined): Fields | undefined {
  const overrides = pricing?.['overrides'];
  if (!Array.isArray(overrides)) return pricing;
  const windows = overrides.flatMap((each: unknown) => {
    const window = fieldsOf(each);
    return window?.['utc_start'] !== undefined && window['min_prompt_tokens'] === undefined ? [window] : [];
  });
  const dearest: Record<string, unknown> = { ...pricing };
  for (const window of windows)
    for (const field of Object.values(fields))
      if ((numberOf(window[field]) ?? 0) > (numberOf(dearest[field]) ?? 0)) dearest[field] = window[field];
  return dearest;
}
