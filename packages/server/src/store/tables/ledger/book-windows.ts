import { sql } from 'kysely';
import { isNotLate, lateDelta } from '../late-entries.ts';
import type { Db } from '../../dialects/types.ts';
import { type LoggedCharge, misloggedInArchive } from '../log-archive/charges.ts';

export { misloggedInArchive } from '../log-archive/charges.ts';

/** Owners of figures that are sums over the ledger. */
export type OwnerTable = 'accounts' | 'users' | 'channels' | 'tokens' | 'team_members';

/** Charges of calls here and before an import, refunds of failed tasks, and corrections. */
const used = `kind in ('usage', 'refund', 'rerate', 'former')`;
const isCounted = `note not like '%"uncounted"%'`;
const counted = `${used} and ${isCounted}`;
/** Amount that a person's own wallet paid; payments of a team count on its member. */
const ownCounted = `${counted} and member_id = 0`;
const when = (condition: string, value: string): string =>
  `sum(case when ${condition} then ${value} else 0 end)`;

/** Figures on rows, their invariant, and their sum over the ledger. In a fixed order. */
export const ownerSums = {
  accounts: { by: 'account_id', sums: [['I1 balance', 'balance', 'sum(account_delta)']] },
  users: {
    by: 'user_id',
    sums: [
      ['I15 reward', 'aff_quota', 'sum(reward_delta)'],
      ['I17 user used_quota', 'used_quota', when(ownCounted, '-account_delta')],
      [
        'I17 user request_count',
        'request_count',
        when(`kind = 'usage' and ${isCounted} and ${isNotLate}`, '1'),
      ],
    ],
  },
  channels: {
    by: 'channel_id',
    sums: [['I17 channel used_quota', 'used_quota', when(counted, '-account_delta')]],
  },
  tokens: {
    by: 'token_id',
    sums: [
      ['I18 allowance', 'remain_quota', 'sum(token_delta)'],
      ['I17 token used_quota', 'used_quota', when(used, '-account_delta')],
    ],
  },
  team_members: {
    by: 'member_id',
    sums: [
      ['I21 limit', 'remain_quota', 'sum(member_delta)'],
      ['I17 member used_quota', 'used_quota', when(used, '-account_delta')],
    ],
  },
} as const satisfies Record<
  OwnerTable,
  { by: string; sums: readonly (readonly [invariant: string, column: string, sum: string])[] }
>;

/** Tables with rows that have sums in the ledger. */
export const ownerTables = Object.keys(ownerSums) as OwnerTable[];

/** Entries of the ledger with ids above `after`, up to `upTo`. */
export interface Window {
  after: number;
  upTo: number;
}

/** The id of the newest entry; 0 for none. */
export async function newestId(db: Db): Promise<number> {
  const row = await db
    .selectFrom('ledger')
    .select((e) => e.fn.max('id').as('id'))
    .executeTakeFirst();
  return Number(row?.id ?? 0);
}

type Figures = { id: number } & Record<`f${number}`, number | string | null>;

const figuresOf = (row: Figures, table: OwnerTable): number[] =>
  ownerSums[table].sums.map((_, index) => Number(row[`f${index}`] ?? 0));

/** Sums of a window's entries by owner, in the order of `ownerSums`. */
export async function movements(
  db: Db,
  table: OwnerTable,
  { after, upTo }: Window,
): Promise<Map<number, number[]>> {
  const { by, sums } = ownerSums[table];
  const columns = sums.map(([, , value], index) => sql`${sql.raw(value)} as ${sql.ref(`f${index}`)}`);
  const { rows } = await sql<Figures>`
    select ${sql.ref(by)} as id, ${sql.join(columns)} from ledger
    where id > ${after} and id <= ${upTo} and ${sql.ref(by)} <> 0 group by ${sql.ref(by)}`.execute(db);
  return new Map(rows.map((row) => [row.id, figuresOf(row, table)]));
}

/**
 * Figures of rows minus the additions of entries above `after`: the expected sum of the entries up to there. One
 * statement, so that both are of one moment. `ids` selects rows by id or range.
 */
export async function figuresBefore(
  db: Db,
  table: OwnerTable,
  after: number,
  ids: readonly number[] | { above: number; limit: number },
): Promise<Map<number, number[]>> {
  const { by, sums } = ownerSums[table];
  const columns = sums.map(
    ([, column], index) =>
      sql`t.${sql.ref(column)} - coalesce(${sql.ref(`s.f${index}`)}, 0) as ${sql.ref(`f${index}`)}`,
  );
  const added = sums.map(([, , value], index) => sql`${sql.raw(value)} as ${sql.ref(`f${index}`)}`);
  const isStretch = 'above' in ids;
  const wanted = isStretch ? sql`t.id > ${ids.above}` : sql`t.id in (${sql.join([...ids])})`;
  const limit = isStretch ? sql`limit ${sql.lit(ids.limit)}` : sql``;
  const { rows } = await sql<Figures>`
    select t.id as id, ${sql.join(columns)} from ${sql.table(table)} t
    left join (select ${sql.ref(by)} as owner, ${sql.join(added)} from ledger where id > ${after}
      group by ${sql.ref(by)}) s on s.owner = t.id
    where ${wanted} order by t.id ${limit}`.execute(db);
  return new Map(rows.map((row) => [row.id, figuresOf(row, table)]));
}

/** Violations of I2, I6 and I17 by single entries of a window, at most `limit` of each. */
export async function faultsWithin(db: Db, { after, upTo }: Window, limit = 20): Promise<WindowFaults> {
  const inWindow = sql`l.id > ${after} and l.id <= ${upTo}`;
  const unbalanced = await sql<{ txn: string }>`
    select l.txn as txn from ledger l where ${inWindow}
      and (l.account_delta + l.reward_delta + l.writeoff_delta + l.outside_delta <> 0
        or (l.kind = 'usage' and (l.account_delta > 0 or l.writeoff_delta > 0 or l.outside_delta < 0)))
    limit ${sql.lit(limit)}`.execute(db);
  const taken = sql`l.account_delta + ${lateDelta('l')}`;
  // One read of the rows of a request: its charge, and the refunds beside it.
  const times = sql`sum(case when g.type = 2 then 1 else 0 end)`;
  const logged = sql`min(case when g.type = 2 then g.quota end)`;
  const stored = sql`min(case when g.type = 2 then g.refunded end)`;
  const computed = sql`sum(case when g.type = 6 then g.quota else 0 end)`;
  const { rows } = await sql<Record<Exclude<keyof LoggedCharge, 'txn'>, number | string> & { txn: string }>`
    select l.txn as txn, ${times} as times, ${logged} as logged, 0 - min(${taken}) as charged,
      ${stored} as stored, ${computed} as computed
    from ledger l join logs g on g.request_id = l.txn and g.type in (2, 6)
    where ${inWindow} and l.kind = 'usage' group by l.txn
    having ${times} > 1 or ${logged} <> -min(${taken}) or ${stored} <> ${computed}
    limit ${sql.lit(limit)}`.execute(db);
  const mislogged = rows.map(({ txn, ...figures }) => ({
    txn,
    times: Number(figures.times),
    logged: Number(figures.logged),
    charged: Number(figures.charged),
    stored: Number(figures.stored),
    computed: Number(figures.computed),
  }));
  mislogged.push(...(await misloggedInArchive(db, { after, upTo })));
  return { unbalanced: unbalanced.rows.map(({ txn }) => txn), mislogged: mislogged.slice(0, limit) };
}

/** Violations among the entries of a window. */
export interface WindowFaults {
  /** Entries with parts that do not add up to zero. */
  unbalanced: string[];
  /** Settlements logged more than once, at another price, or with another refund. */
  mislogged: LoggedCharge[];
}
