import { z } from 'zod';
import type { ContextTier } from '../price-terms.ts';

// Apart from the terms' arithmetic: every page computes prices, and none but the settings checks their terms.
const factor = z.number().min(0).max(1_000);

/** What prompts above a length cost: all that is read `input` times as much, all that is written `output` times. */
const contextTier = z.object({
  /** Input tokens of every class; a prompt of exactly so many is not above. */
  above: z.number().int().min(1).max(1_000_000_000),
  input: factor.min(1),
  output: factor.min(1),
});

/** Factors of a service tier over the standard one; cache reads may differ. */
const serviceTier = z.object({ factor, cacheRead: factor.exactOptional() });

/** A longer prompt never costs less: lengths and factors only rise. */
const rises = (tiers: readonly ContextTier[]): boolean =>
  tiers.every((tier, index) => {
    const before = tiers[index - 1];
    return (
      !before || (tier.above > before.above && tier.input >= before.input && tier.output >= before.output)
    );
  });

export const contextTiers = z.array(contextTier).max(8).refine(rises);
export const serviceTiers = z.record(z.string().min(1).max(32), serviceTier);

/** Terms of a model's price beyond its ratios. */
export const priceTerms = z.strictObject({
  context: contextTiers.exactOptional(),
  tiers: serviceTiers.exactOptional(),
  /** Price of a token written to the cache for an hour, in input tokens. */
  cacheWrite1h: factor.exactOptional(),
});
