import { readTogether } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import type { HoldTable } from '../../schema/money.ts';
import { batches } from '../shared.ts';
import type { Write } from './balances.ts';

/** A hold and the state of its row: one that was never stored and is closed again leaves no trace. */
export interface HoldChange {
  readonly row: HoldTable;
  /** The new text; undefined leaves the stored one. */
  readonly newRequest?: string | undefined;
  /** The row is in the database. */
  readonly stored: boolean;
  /** False once settled or released. */
  readonly open: boolean;
}

/** All holds, oldest first. */
export const listHolds = (db: Db): Promise<HoldTable[]> =>
  db.selectFrom('holds').selectAll().orderBy('at').orderBy('request_id').execute();

/**
 * Process name on the holds of tasks. Their task rows determine their end, whichever process lives. No process has this
 * name, because names of processes have no brackets.
 */
export const taskNode = '(task)';

/** The processes with holds. */
export async function nodesWithHolds(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('holds').select('node').distinct().where('node', '<>', taskNode).execute();
  return rows.map(({ node }) => node);
}

/** The holds of these processes, oldest first. */
export async function holdsOfNodes(db: Db, nodes: readonly string[]): Promise<HoldTable[]> {
  if (nodes.length === 0) return [];
  return db
    .selectFrom('holds')
    .selectAll()
    .where('node', 'in', nodes)
    .orderBy('at')
    .orderBy('request_id')
    .execute();
}

/** The existing holds of these requests. */
export const findHolds = async (db: Db, requestIds: readonly string[]): Promise<HoldTable[]> =>
  (await readTogether(db, holdReads(db, requestIds)))[0];

/** The statements of `findHolds`. */
export const holdReads = (db: Db, requestIds: readonly string[]) =>
  batches(requestIds).map((some) =>
    db.selectFrom('holds').selectAll().where('request_id', 'in', some).compile(),
  );

/** Inserts, updates and deletes hold rows by their changes. */
export function holdWrites(db: Db, changes: Iterable<HoldChange>): Write[] {
  const fresh: HoldTable[] = [];
  const gone: string[] = [];
  const changed: HoldChange[] = [];
  for (const change of changes) {
    const { row, newRequest, stored, open } = change;
    if (!stored && open) fresh.push({ ...row, request: newRequest ?? row.request });
    else if (stored && !open) gone.push(row.request_id);
    else if (stored) changed.push(change);
  }
  const queries = [
    ...batches(fresh).map((some) => db.insertInto('holds').values(some)),
    ...batches(gone).map((some) => db.deleteFrom('holds').where('request_id', 'in', some)),
    ...changed.map(({ row, newRequest }) => {
      const { amount, token_amount, member_amount, progress, budgets } = row;
      const request = newRequest !== undefined && { request: newRequest };
      return db
        .updateTable('holds')
        .set({ amount, token_amount, member_amount, progress, budgets, ...request })
        .where('request_id', '=', row.request_id);
    }),
  ];
  return queries.map((query) => ({ query: query.compile() }));
}
