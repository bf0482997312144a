import type { SyncRow } from './price-sync.ts';

/** Which proposals are approved together. Rows that need individual review are never among them. */
export interface SyncRule {
  /** Models that have no price today, or those that have one as well. */
  only: 'missing' | 'all';
  /** The vendor that a list names; '' for every one. */
  vendor: string;
  /** How many lists must say the same. */
  sources: number;
  /** The maximum increase of a class of tokens, in percent. */
  maxDearer: number;
}

/**
 * The models whose best offer a rule agrees to. Where lists contradict one another in equal numbers, and where a price
 * jumps, a person decides.
 */
export function selectedBy(rule: SyncRule, rows: readonly SyncRow[]): string[] {
  return rows.filter((row) => agrees(rule, row)).map(({ model }) => model);
}

function agrees(rule: SyncRule, row: SyncRow): boolean {
  const [best] = row.offers;
  if (row.state === 'same' || !row.decided || best === undefined || best.needs_own) return false;
  if (rule.only === 'missing' && row.state !== 'new') return false;
  if (rule.vendor !== '' && row.vendor !== rule.vendor) return false;
  if (best.sources.length < rule.sources) return false;
  // The dust of a division is no rise.
  return best.dearer === null || best.dearer <= 1 + rule.maxDearer / 100 + 1e-9;
}
