import { z } from 'zod';
import type { ContextTier } from '../price-terms.ts';

// Separate from the arithmetic of the terms: every page computes prices, but only the settings check terms.
const factor = z.number().min(0).max(1_000);

/** Price factors of prompts above a length: `input` for all input tokens, `output` for all output tokens. */
const contextTier = z.object({
  /** Number of input tokens of all classes. A prompt of exactly this length is below the tier. */
  above: z.number().int().min(1).max(1_000_000_000),
  input: factor.min(1),
  output: factor.min(1),
});

/** Factors of a service tier relative to the standard tier. Cache reads may have their own factor. */
const serviceTier = z.object({ factor, cacheRead: factor.exactOptional() });

/** True if lengths and factors only rise: a longer prompt never costs less. */
const rises = (tiers: readonly ContextTier[]): boolean =>
  tiers.every((tier, index) => {
    const before = tiers[index - 1];
    return (
      !before || (tier.above > before.above && tier.input >= before.input && tier.output >= before.output)
    );
  });

export const contextTiers = z.array(contextTier).max(8).refine(rises);
export const serviceTiers = z.record(z.string().min(1).max(32), serviceTier);

/** Price terms of a model beyond its ratios. */
export const priceTerms = z.strictObject({
  context: contextTiers.exactOptional(),
  tiers: serviceTiers.exactOptional(),
  /** Price of a token in the one-hour cache, in input tokens. */
  cacheWrite1h: factor.exactOptional(),
  /** US dollars for a million tokens of cached content in an hour. */
  cacheStorage: factor.exactOptional(),
});
