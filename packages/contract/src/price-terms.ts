import { scaledRatio } from './price-decimal.ts';

/** What prompts above a length cost: all that is read `input` times as much, all that is written `output` times. */
export interface ContextTier {
  /** Input tokens of every class; a prompt of exactly so many is not above. */
  above: number;
  input: number;
  output: number;
}

/** Factors of a service tier over the standard one; cache reads may differ. */
export interface ServiceTier {
  factor: number;
  cacheRead?: number;
}

/** Terms of a model's price beyond its ratios. */
export interface PriceTerms {
  context?: ContextTier[];
  tiers?: Record<string, ServiceTier>;
  /** Price of a token written to the cache for an hour, in input tokens. */
  cacheWrite1h?: number;
}

const cheapTiers = new Set(['default', 'standard', 'standard_only', 'flex', 'batch', 'unspecified']);

/** True where a request names a service tier that may cost more than the standard one: it is held for. */
export const mayCostMore = (tier: unknown): boolean =>
  typeof tier === 'string' && tier !== '' && !cheapTiers.has(tier.toLowerCase());

/** Which of a price's tiers a call is charged at; absent where none applies. */
export interface AppliedTiers {
  context?: ContextTier;
  service?: ServiceTier & { name: string };
}

/** The tiers of a price, as a snapshot has them. */
export interface TieredPrice {
  readonly contextTiers?: readonly ContextTier[];
  readonly serviceTiers?: Readonly<Record<string, ServiceTier>>;
}

/** The tier of `contextTiers` that a prompt falls into; -1 below the first. */
export function contextIndex({ contextTiers: tiers }: TieredPrice, inputTokens: number): number {
  let index = -1;
  while (tiers !== undefined && index + 1 < tiers.length && inputTokens > tiers[index + 1]!.above) index += 1;
  return index;
}

/** The tier of that name; undefined where the price knows none, which then costs as the standard one does. */
export const serviceTierOf = (
  { serviceTiers: tiers }: TieredPrice,
  name: string | undefined,
): ServiceTier | undefined =>
  name !== undefined && tiers !== undefined && Object.hasOwn(tiers, name) ? tiers[name] : undefined;

/**
 * The most expensive tier, if one costs more than the standard one: holds of calls that may be served by it cover it.
 */
export function dearestTier({ serviceTiers: tiers = {} }: TieredPrice): string | undefined {
  const [dearest] = Object.entries(tiers).toSorted(([, a], [, b]) => b.factor - a.factor);
  return dearest && dearest[1].factor > 1 ? dearest[0] : undefined;
}

/** The two ratios that each class of tokens is multiplied by beside its own, scaled (`scaledRatio`): of the length, of the tier. */
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
