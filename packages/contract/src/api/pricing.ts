import { z } from 'zod';
import { route } from '../route.ts';

// Not those of the settings, which would bring the checks of texts to every page that shows a price.
const factor = z.number().min(0).max(1_000);
const contextTier = z.object({
  /** Input tokens of every class; a prompt of exactly so many is not above. */
  above: z.number().int().min(1).max(1_000_000_000),
  input: factor.min(1),
  output: factor.min(1),
});
const serviceTier = z.object({ factor, cacheRead: factor.exactOptional() });

/** What a model can do, as vendors and public lists name it. */
export const abilities = [
  'vision',
  'tools',
  'reasoning',
  'structured',
  'audio_input',
  'audio_output',
  'documents',
  'video_input',
  'image_output',
  'video_output',
  'search',
  'caching',
  'embeddings',
] as const;
export type Ability = (typeof abilities)[number];

const tokens = z.number().int().min(1);

/** What vendors publish about a model. What is absent is unknown: nothing is guessed. */
export const modelFacts = z.strictObject({
  vendor: z.string(),
  /** Tokens of the longest input. */
  input: tokens.exactOptional(),
  /** Tokens of the longest answer. */
  output: tokens.exactOptional(),
  /** The day on which its vendor shuts it down, YYYY-MM-DD, where one is announced. */
  ends: z.iso.date().exactOptional(),
  /** Abilities that are listed. */
  abilities: z.array(z.enum(abilities)).readonly(),
});
export type ModelFacts = z.output<typeof modelFacts>;

/**
 * What a model costs (docs/compatibility.md#envelope-and-routes, pricing item; the further ratios are those of newer
 * clients).
 */
export const pricingItem = z.object({
  model_name: z.string(),
  /** 0 for tokens, 1 for calls. */
  quota_type: z.union([z.literal(0), z.literal(1)]),
  /** 1 is $2 per million input tokens; 0 when calls are priced. */
  model_ratio: z.number(),
  /** US dollars per call; 0 when tokens are priced. */
  model_price: z.number(),
  owner_by: z.string(),
  completion_ratio: z.number(),
  cache_ratio: z.number(),
  create_cache_ratio: z.number(),
  /**
   * Price of a token written to the cache for an hour, where it is not 1.6 times that of five minutes (Tollgate
   * extension).
   */
  create_cache_ratio_1h: z.number().exactOptional(),
  /** What prompts above a length cost, in rising order (Tollgate extension). */
  context_tiers: z.array(contextTier).readonly().exactOptional(),
  /** What service tiers cost over the standard one, by name (Tollgate extension). */
  service_tiers: z.record(z.string(), serviceTier).exactOptional(),
  image_ratio: z.number(),
  audio_ratio: z.number(),
  audio_completion_ratio: z.number(),
  /** Groups in which a channel offers it. */
  enable_groups: z.array(z.string()),
  /** True when no price was set and the fallback ratio is shown (Tollgate extension). */
  unset: z.boolean(),
  /** Limits, abilities and retirement, where they are known (Tollgate extension). */
  facts: modelFacts.exactOptional(),
});
export type PricingItem = z.output<typeof pricingItem>;

/** The list that limits and abilities come from, and its day. */
const factsSource = z.object({ name: z.string(), date: z.string() });

/** The public price list. */
export const pricingApi = {
  list: route('GET', '/api/pricing', {
    summary: { zh: '读取模型价格', en: 'Read the price list' },
    access: 'try-user',
    errors: ['not_logged_in'],
    input: z.object({}),
    data: z.array(pricingItem),
    extra: z.object({
      /** Ratios of the groups the caller may use; a guest sees those of the default group. */
      group_ratio: z.record(z.string(), z.number()),
      /** Group → description. */
      usable_group: z.record(z.string(), z.string()),
    }),
  }),
  /** What is known of a model, offered here or not. A Tollgate extension. */
  facts: route('GET', '/api/pricing/facts', {
    summary: { zh: '读取模型的长度、能力与停用日期', en: 'Read limits, abilities and retirement of a model' },
    access: 'try-user',
    errors: ['not_logged_in'],
    example: { model: 'gpt-4o' },
    input: z.object({ model: z.string().max(255) }),
    data: z.object({
      /** Absent where nothing is known. */
      facts: modelFacts.exactOptional(),
      source: factsSource,
    }),
  }),
};
