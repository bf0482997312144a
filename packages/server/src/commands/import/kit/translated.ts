import type { ForeignDatabase, ForeignRow } from '../../../store/index.ts';

/** An organisation of the source. Ids of people are those of the translated rows. */
export interface SourceTeam {
  id: number;
  name: string;
  isOn: boolean;
  ownerId: number;
  /** All members with the owner; `isManager` for those who manage it. */
  members: readonly { userId: number; isManager: boolean }[];
  /** Quota units. */
  balance: number;
  used: number;
  /** Unix seconds. */
  createdTime: number;
}

/** A budget of the source with its ids; 0 for no condition. */
export interface SourceBudget {
  name: string;
  tokenId: number;
  userId: number;
  teamId: number;
  /** The group that calls are billed in; absent for all. */
  group?: string;
  /** '' for all. */
  model: string;
  /** `term` never begins again. */
  period: 'minute' | 'hour' | 'day' | 'week' | 'month' | 'term';
  unit: 'quota' | 'tokens';
  mode: 'hard' | 'soft';
  /** In its unit. */
  amount: number;
  /** 0 if calls are not counted. */
  maxCalls: number;
  /** Quota units charged in its present window. */
  used: number;
}

/** A source of another kind in the form of new-api, and what new-api has no tables for. */
export interface Translated {
  /** Rows with the names and meanings of new-api's columns. */
  view: ForeignDatabase;
  teams: readonly SourceTeam[];
  budgets: readonly SourceBudget[];
  /** What changed, and what stays behind. */
  notes: readonly string[];
}

/** Rows by table, readable like a database. */
export const viewOf = (
  kind: ForeignDatabase['kind'],
  rows: Readonly<Record<string, readonly ForeignRow[]>>,
): ForeignDatabase => ({
  kind,
  tables: new Map(
    Object.entries(rows).map(([table, some]) => [table, new Set(some.flatMap((row) => Object.keys(row)))]),
  ),
  all: async (table) => [...(rows[table] ?? [])],
  slice: async () => [],
  count: async (table) => rows[table]?.length ?? 0,
  isInUse: async () => false,
});

const longestName = 20;

/**
 * Free names of the allowed form, by what a person is called in the source. An address is none: it could be that of
 * somebody else.
 */
export function createNames(): (id: string, email: string) => string {
  const names = new Set<string>();
  /** Where the search for a free number begins, by name. */
  const numbers = new Map<string, number>();
  return (id, email) => {
    const isPlain = /^[\w.-]{1,20}$/.test(id);
    const wanted = isPlain ? id : email.split('@', 1)[0] || id.split('@', 1)[0] || 'user';
    const base = wanted.replace(/[^\w.-]/g, '-').slice(0, longestName);
    let name = base;
    let next = numbers.get(base.toLowerCase()) ?? 2;
    for (; names.has(name.toLowerCase()); next += 1)
      name = `${base.slice(0, longestName - String(next).length - 1)}-${next}`;
    names.add(name.toLowerCase());
    numbers.set(base.toLowerCase(), next);
    return name;
  };
}

const unit = 500_000;

/** Quota units of an amount of US dollars, for programs that count dollars. Negative for a debt. */
export const unitsOf = (dollars: number): number => {
  const units = Math.round(dollars * unit);
  if (!Number.isSafeInteger(units)) throw new Error(`${dollars} dollars are too large an amount`);
  return units === 0 ? 0 : units;
};

/** Tokens that no minute reaches: the amount of a budget that limits requests only. */
export const unlimitedTokens = 1_000_000_000_000;

/** Options of new-api for the most requests of each group in a minute; groups with 0 have no limit. */
export function rateOptions(
  groups: readonly (readonly [name: string, requests: number])[],
): Record<string, string> {
  const limited = groups.filter(([, requests]) => requests > 0);
  if (limited.length === 0) return {};
  const table = Object.fromEntries(limited.map(([name, requests]) => [name, [requests, requests]]));
  return {
    ModelRequestRateLimitEnabled: 'true',
    ModelRequestRateLimitDurationMinutes: '1',
    ModelRequestRateLimitSuccessCount: '2147483647',
    ModelRequestRateLimitGroup: JSON.stringify(table),
  };
}
