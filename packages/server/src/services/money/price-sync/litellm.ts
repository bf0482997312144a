import { callPrice, fieldsOf, isFree, type Listing, type ReadList, tokenPrice } from './listing.ts';
import { vendorOf } from './vendors.ts';

/** Their fields, in dollars per token. */
const fields = {
  input: 'input_cost_per_token',
  output: 'output_cost_per_token',
  cacheRead: 'cache_read_input_token_cost',
  cacheWrite: 'cache_creation_input_token_cost',
  imageInput: 'input_cost_per_image_token',
  imageOutput: 'output_cost_per_image_token',
  audioInput: 'input_cost_per_audio_token',
  audioOutput: 'output_cost_per_audio_token',
} as const;

/** Entries that are not models. */
const notModels = new Set(['sample_spec', 'fallback_generalizations']);

/** LiteLLM's `model_prices_and_context_window.json`: the price by model, often with its provider as a prefix. */
export const readLiteLlm: ReadList = (json) => {
  const models = fieldsOf(json);
  if (!models) throw new Error('not an object of models');
  return Object.entries(models).flatMap(([model, about]) => {
    const entry = fieldsOf(about);
    return entry && !notModels.has(model) ? listingOf(model, entry) : [];
  });
};

function listingOf(model: string, entry: Readonly<Record<string, unknown>>): Listing[] {
  const provider = typeof entry['litellm_provider'] === 'string' ? entry['litellm_provider'] : '';
  const names =
    provider !== '' && model.startsWith(`${provider}/`) ? [model, model.slice(provider.length + 1)] : [model];
  const vendor = vendorOf(provider);
  if (entry['mode'] === 'image_generation' || entry['mode'] === 'rerank') {
    const call = callPrice(entry, 'output_cost_per_image', 'input_cost_per_image', 'input_cost_per_query');
    if (call && tokenPrice(entry, fields, 'token') === null) return [{ names, vendor, dollars: call }];
  }
  const dollars = tokenPrice(entry, fields, 'token') ?? tokenPrice(firstTier(entry), fields, 'token');
  if (dollars) return [{ names, vendor, dollars }];
  return isFree(entry, 'input_cost_per_token', 'output_cost_per_token')
    ? [{ names, vendor, dollars: null }]
    : [];
}

/** The prices of the shortest prompts, for an entry with prices by prompt length only. */
function firstTier(entry: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const tiers = entry['tiered_pricing'];
  return (Array.isArray(tiers) && fieldsOf(tiers[0])) || {};
}
