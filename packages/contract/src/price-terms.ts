import { scaledRatio } from './price-decimal.ts';

/** Price factors of prompts above a length: `input` for all input tokens, `output` for all output tokens. */
export interface ContextTier {
  /** Number of input tokens of all classes. A prompt of exactly this length is below the tier. */
  above: number;
  input: number;
  output: number;
}

/** Factors of a service tier relative to the standard tier. Cache reads may have their own factor. */
export interface ServiceTier {
  factor: number;
  cacheRead?: number;
}

/** Price terms of a model beyond its ratios. */
export interface PriceTerms {
  context?: ContextTier[];
  tiers?: Record<string, ServiceTier>;
  /** Price of a token in the one-hour cache, in input tokens. */
  cacheWrite1h?: number;
  /** US dollars for a million tokens of cached content in an hour. */
  cacheStorage?: number;
}

const cheapTiers = new Set(['default', 'standard', 'standard_only', 'flex', 'batch', 'unspecified']);

/**
 * True if a request names a service tier that may cost more than the standard tier. Its hold then includes that tier.
 */
export const mayCostMore = (tier: unknown): boolean =>
  typeof tier === 'string' && tier !== '' && !cheapTiers.has(tier.toLowerCase());

/** The tiers of a price that apply to a call; absent if none applies. */
export interface AppliedTiers {
  context?: ContextTier;
  service?: ServiceTier & { name: string };
}

/** The tiers of a price in a snapshot. */
export interface TieredPrice {
  readonly contextTiers?: readonly ContextTier[];
  readonly serviceTiers?: Readonly<Record<string, ServiceTier>>;
}

/** Index of the tier of `contextTiers` for a prompt; -1 below the first tier. */
export function contextIndex({ contextTiers: tiers }: TieredPrice, inputTokens: number): number {
  let index = -1;
  while (tiers !== undefined && index + 1 < tiers.length && inputTokens > tiers[index + 1]!.above) index += 1;
  return index;
}

/** Service tier by name; undefined if the price does not have it. Such a tier costs the same as the standard tier. */
export const serviceTierOf = (
  { serviceTiers: tiers }: TieredPrice,
  name: string | undefined,
): ServiceTier | undefined =>
  name !== undefined && tiers !== undefined && Object.hasOwn(tiers, name) ? tiers[name] : undefined;

/** The most expensive tier, if it costs more than the standard tier. Holds include it for calls that may use it. */
export function dearestTier({ serviceTiers: tiers = {} }: TieredPrice): string | undefined {
  const [dearest] = Object.entries(tiers).toSorted(([, a], [, b]) => b.factor - a.factor);
  return dearest && dearest[1].factor > 1 ? dearest[0] : undefined;
}

/**
 * The two scaled factors (`scaledRatio`) on the ratio of each token class: for the prompt length and for the service
 * tier.
 */
export type UnitFactors = Record<'input' | 'cacheRead' | 'output', readonly [bigint, bigint]>;

const one = scaledRatio(1, 'one');

export const noFactors: UnitFactors = { input: [one, one], cacheRead: [one, one], output: [one, one] };

export function factorsOf({ context, service }: AppliedTiers): UnitFactors {
  const scaled = (value: number) => scaledRatio(value, 'tier');
  const all = scaled(service?.factor ?? 1);
  const read = scaled(context?.input ?? 1);
  return {
    input: [read, all],
    cacheRead: [read, service?.cacheRead === undefined ? all : scaled(service.cacheRead)],
    output: [scaled(context?.output ?? 1), all],
  };
}
