import { sql } from 'kysely';
import { inTransaction } from '../../store/index.ts';
import type { Database } from '../../store/schema/index.ts';
import type { World } from './world.ts';

/** Tables with rows that a call could change without permission. Ledger and audit tables reject changes themselves. */
const tables = [
  'users',
  'tokens',
  'sessions',
  'access_tokens',
  'identities',
  'accounts',
  'channels',
  'abilities',
  'redemptions',
  'options',
  'top_ups',
  'teams',
  'team_members',
  'team_invitations',
  'mail_codes',
  'budgets',
  'tasks',
  'grants',
  'auto_top_ups',
  'invoices',
  'invoice_numbers',
  'plans',
  'subscriptions',
] as const satisfies readonly (keyof Database)[];

type Row = Readonly<Record<string, unknown>>;
/** All rows of these tables, by table. */
export type Rows = Readonly<Record<string, readonly Row[]>>;

/** Number of rows that the world's SQLite has written so far. Most attempts are refused, so the rows need no comparison. */
export async function countWrites({ house }: World): Promise<number> {
  const { rows } = await sql<{ writes: number }>`select total_changes() as writes`.execute(
    house.core.store.db,
  );
  return rows[0]!.writes;
}

export async function readRows({ house }: World): Promise<Rows> {
  const { db } = house.core.store;
  const found: Record<string, Row[]> = {};
  for (const table of tables) found[table] = (await db.selectFrom(table).selectAll().execute()) as Row[];
  return found;
}

/** Restores the tables and clears caches of the rows. */
export async function restoreRows({ house }: World, before: Rows): Promise<void> {
  const { core } = house;
  const { db } = core.store;
  await inTransaction(db, async (trx) => {
    for (const table of tables) {
      await trx.deleteFrom(table).execute();
      const rows = before[table] ?? [];
      if (rows.length === 0) continue;
      await trx
        .insertInto(table)
        .values(rows as never)
        .execute();
    }
  });
  core.keys.forgetAll();
  await core.settings.reload();
  await core.routing.reload();
}

/** A changed, deleted or new row. */
export interface ChangedRow {
  table: string;
  row: Row;
  isNew: boolean;
}

/** Rows of a snapshot by their JSON text. Cached, because thousands of attempts compare with the same snapshot. */
const texts = new WeakMap<readonly Row[], Map<string, Row>>();

function byText(rows: readonly Row[] = []): Map<string, Row> {
  const made = texts.get(rows) ?? new Map(rows.map((row) => [JSON.stringify(row), row]));
  texts.set(rows, made);
  return made;
}

/** Differences between two snapshots. */
export function changedRows(before: Rows, after: Rows): ChangedRow[] {
  return tables.flatMap((table) => {
    const was = byText(before[table]);
    const is = byText(after[table]);
    const onlyIn = (these: Map<string, Row>, those: Map<string, Row>, isNew: boolean) =>
      [...these].filter(([text]) => !those.has(text)).map(([, row]) => ({ table, row, isNew }));
    return [...onlyIn(was, is, false), ...onlyIn(is, was, true)];
  });
}

/** Owner of a row; 0 for the site. */
export function ownerOf({ table, row }: ChangedRow, rows: Rows): number {
  if (table === 'users') return Number(row['id']);
  if (table === 'accounts') {
    const payer = rows['users']?.find((user) => user['account_id'] === row['id']);
    const team = rows['teams']?.find((each) => each['account_id'] === row['id']);
    return Number(payer?.['id'] ?? team?.['owner_id'] ?? 0);
  }
  if (table === 'redemptions') return 0;
  if (table === 'teams') return Number(row['owner_id']);
  if (table === 'team_invitations') return Number(row['inviter_id']);
  return Number(row['user_id'] ?? 0);
}
