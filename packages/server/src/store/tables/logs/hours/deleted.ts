import { logType, testTokenName } from '@tollgate/contract';
import type { Selectable } from 'kysely';
import { hourOf } from '../../../../lib/clock.ts';
import type { Db } from '../../../dialects/types.ts';
import type { LogTable } from '../../../schema/upkeep.ts';
import { mark, summedUntil } from './marks.ts';
import { addSums, byKey, columnsOf, type HourSum, kinds, type SumKind, sumKinds } from './sums.ts';

/** Stored data of deleted rows. */
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
 * Keeps the charges of deleted rows in summed hours: moves them from the sums of existing rows to those of deleted rows,
 * so that sums over both stay the same at every moment. Part of the transaction that deletes them.
 */
export async function keepDeleted(db: Db, rows: readonly DeletedRow[]): Promise<void> {
  const until = await summedUntil(db);
  const moved = new Map<string, HourSum>();
  for (const row of rows) {
    if (row.created_at >= until || row.type !== logType.consume) continue;
    // A call that was free may have been charged later, by a correction.
    if (row.quota === 0 && row.refunded === 0) continue;
    if (row.token_id === 0 && row.token_name === testTokenName) continue;
    for (const kind of kinds) addTo(moved, kind, row);
  }
  const gone = [...moved.values()].toSorted(byKey);
  await addSums(db, gone);
  await addSums(
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
