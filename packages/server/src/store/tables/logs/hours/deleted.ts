import { logType, testTokenName } from '@tollgate/contract';
import { type Selectable, sql } from 'kysely';
import { hourOf } from '../../../../lib/clock.ts';
import { dialectOf } from '../../../db.ts';
import type { Db } from '../../../dialects/types.ts';
import type { LogTable } from '../../../schema/log.ts';
import { batches } from '../../shared.ts';
import { mark, summedUntil } from './marks.ts';
import { columnsOf, type HourSum, kinds, type SumKind, sumKinds } from './sums.ts';

/** What is kept of deleted rows. */
export type DeletedRow = Pick<
  Selectable<LogTable>,
  | 'created_at'
  | 'type'
  | 'user_id'
  | 'username'
  | 'channel_id'
  | 'model_name'
  | 'group'
  | 'token_id'
  | 'token_name'
  | 'team_id'
  | 'quota'
  | 'refunded'
>;

/**
 * Keeps what deleted rows charged, in hours that are summed: it moves from the rows that are there to those that are gone,
 * so that sums over both stay the same at every moment. Part of the transaction that deletes them.
 */
export async function keepDeleted(db: Db, rows: readonly DeletedRow[]): Promise<void> {
  const until = await summedUntil(db);
  const moved = new Map<string, HourSum>();
  for (const row of rows) {
    if (row.created_at >= until || row.type !== logType.consume || row.quota === 0) continue;
    if (row.token_id === 0 && row.token_name === testTokenName) continue;
    for (const kind of kinds) addTo(moved, kind, row);
  }
  const gone = [...moved.values()].toSorted(byKey);
  await add(db, gone);
  await add(
    db,
    gone.map((sum) => ({
      ...sum,
      gone: 0,
      quota: -sum.quota,
      team_quota: -sum.team_quota,
      refunded: -sum.refunded,
      team_refunded: -sum.team_refunded,
    })),
  );
  await mark(db, [...new Set(rows.map((row) => hourOf(row.created_at)))]);
}

const nothing = { quota: 0, team_quota: 0, refunded: 0, team_refunded: 0 };

function addTo(sums: Map<string, HourSum>, kind: SumKind, row: DeletedRow): void {
  const { ref: refColumn, name: nameColumn } = columnsOf[kind];
  const ref = refColumn ? row[refColumn] : 0;
  const name = nameColumn ? row[nameColumn] : '';
  const hour = hourOf(row.created_at);
  const key = JSON.stringify([kind, ref, name, hour]);
  const sum = sums.get(key) ?? { kind: sumKinds[kind], ref, name, hour, gone: 1, ...nothing };
  sum.quota += row.quota;
  sum.refunded += row.refunded;
  if (row.team_id !== 0) {
    sum.team_quota += row.quota;
    sum.team_refunded += row.refunded;
  }
  sums.set(key, sum);
}

/** One order for all, so that two who delete never wait for each other in a circle. */
function byKey(a: HourSum, b: HourSum): number {
  if (a.kind !== b.kind) return a.kind - b.kind;
  if (a.ref !== b.ref) return a.ref - b.ref;
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return a.hour - b.hour;
}

async function add(db: Db, sums: readonly HourSum[]): Promise<void> {
  const { upsert, incoming } = dialectOf(db);
  const plus = (column: keyof typeof nothing) =>
    sql<number>`${sql.ref(`log_hours.${column}`)} + ${incoming(column)}`;
  for (const part of batches(sums)) {
    await db
      .insertInto('log_hours')
      .values(part)
      .modifyEnd(
        upsert(['kind', 'ref', 'name', 'hour', 'gone'], {
          quota: plus('quota'),
          team_quota: plus('team_quota'),
          refunded: plus('refunded'),
          team_refunded: plus('team_refunded'),
        }),
      )
      .execute();
  }
}
