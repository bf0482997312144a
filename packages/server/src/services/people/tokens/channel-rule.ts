import { regionsIn } from '@tollgate/contract';
import type { ChannelSetting } from '../../../relay/types/index.ts';

/** What the calls of a key require of channels, by the rules of the key and of its organisation together. */
export interface ChannelRule {
  /** Permitted regions; null for all. Empty if key and organisation have none in common. */
  readonly regions: ReadonlySet<string> | null;
  /** True if only vendors that retain nothing are permitted. */
  readonly noRetention: boolean;
}

/** A rule as a key or an organisation stores it. */
export interface StoredRule {
  /** Comma list; '' for all. */
  regions: string;
  noRetention: boolean;
}

/** Joins rules, each of which applies; null if there is none. */
export function joinRules(rules: readonly StoredRule[]): ChannelRule | null {
  const lists = rules.map((rule) => regionsIn(rule.regions)).filter(({ length }) => length > 0);
  const common = lists[0]?.filter((name) => lists.every((names) => names.includes(name)));
  const regions = common ? new Set(common) : null;
  const noRetention = rules.some((rule) => rule.noRetention);
  return regions === null && !noRetention ? null : { regions, noRetention };
}

/** The mark that a channel lacks; undefined if the rule permits it. */
export function barByRule(
  { regions, noRetention }: ChannelRule,
  marks: Pick<ChannelSetting, 'region' | 'noRetention'>,
): 'region' | 'retention' | undefined {
  if (regions !== null && !regions.has(marks.region)) return 'region';
  return noRetention && !marks.noRetention ? 'retention' : undefined;
}

/** A rule in the words of the wire, for errors in any language. */
export const describeRule = ({ regions, noRetention }: ChannelRule): string =>
  [...(regions ? [`regions=${[...regions].join(',')}`] : []), ...(noRetention ? ['no_retention'] : [])].join(
    ' ',
  );
