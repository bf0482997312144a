import { logType, testTokenName } from '@tollgate/contract';
import { sql } from 'kysely';
import type { Db } from '../../dialects/types.ts';
import { type IdRange, onSides } from '../log-archive/sides.ts';
import type { PricedRow } from './priced-rows.ts';

/** A call of the log: a charge, or a failure. */
export interface ReplayedCall extends PricedRow {
  created_at: number;
  refunded: number;
}

/** Filter of calls. Times are Unix seconds, the end not included. */
export interface ReplayedFilter {
  from: number;
  to: number;
  /** '' for all. */
  model: string;
  group: string;
  /** One of so many rows is read, by their ids. */
  everyth: number;
}

const columns = [
  'id',
  'created_at',
  'type',
  'user_id',
  'team_id',
  'token_id',
  'channel_id',
  'model_name',
  'group',
  'quota',
  'refunded',
  'prompt_tokens',
  'completion_tokens',
  'other',
  'cost',
] as const;

/** Number of calls of a time range. */
export async function countCalls(db: Db, filter: Omit<ReplayedFilter, 'everyth'>): Promise<number> {
  const counts = await onSides(db, async ({ db: one, ids }) => {
    const { rows } = await matching(one, filter, ids)
      .select((e) => e.fn.countAll<number>().as('rows'))
      .executeTakeFirstOrThrow();
    return Number(rows);
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The calls of a time range, or a part of them. */
export async function findCalls(db: Db, filter: ReplayedFilter): Promise<ReplayedCall[]> {
  const found = await onSides(db, ({ db: one, ids }) => {
    let query = matching(one, filter, ids).select(columns);
    if (filter.everyth > 1) query = query.where(sql<boolean>`id % ${sql.lit(filter.everyth)} = 0`);
    return query.execute();
  });
  return found.flat();
}

function matching(
  db: Db,
  { from, to, model, group }: Omit<ReplayedFilter, 'everyth'>,
  { above, upTo }: IdRange,
) {
  let query = db
    .selectFrom('logs')
    .where('type', 'in', [sql.lit(logType.consume), sql.lit(logType.error)])
    .where('created_at', '>=', from)
    .where('created_at', '<', to)
    .where((e) => e.or([e('token_id', '<>', 0), e('token_name', '<>', testTokenName)]));
  if (above !== undefined) query = query.where('id', '>', above);
  if (upTo !== undefined) query = query.where('id', '<=', upTo);
  if (model !== '') query = query.where('model_name', '=', model);
  if (group !== '') query = query.where('group', '=', group);
  return query;
}
