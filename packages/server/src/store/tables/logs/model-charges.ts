import { sql } from 'kysely';
import { dialectOf } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import { addUp, onStillSides } from '../log-archive/sides.ts';
import { cut } from './charged.ts';
import { markedBefore, summedUntil } from './hours/marks.ts';
import { sumKinds } from './hours/sums.ts';
import { chargedFilter, CONSUME, type LogFilter } from './log-filter.ts';

/** Original charges of a model, in quota units, before refunds and corrections. */
export interface ModelCharge {
  model: string;
  quota: number;
}

/** Whose own wallet or which team paid, from `start` to `end` (Unix seconds, both included). */
export type ChargedPayer = { start: number; end: number } & ({ userId: number } | { teamId: number });

/**
 * Original charges by model, the highest first. Those of a person come from the hourly sums, and so include deleted
 * rows; those of a team come from existing rows.
 */
export async function modelCharges(db: Db, payer: ChargedPayer): Promise<ModelCharge[]> {
  const found = await onStillSides(db, ({ db: one, ids }) => {
    const { start, end } = payer;
    if ('teamId' in payer) return ofRows(one, { teamId: payer.teamId, start, end, ids });
    return ofUser(one, { userId: payer.userId, paidBy: 'user', start, end, ids });
  });
  return addUp(found.flat(), ({ model }) => model, ['quota'])
    .filter(({ quota }) => quota !== 0)
    .toSorted((a, b) => b.quota - a.quota || (a.model < b.model ? -1 : 1));
}

async function ofUser(db: Db, filter: LogFilter & { userId: number }): Promise<ModelCharge[]> {
  const until = await summedUntil(db);
  const { parts, ranges } = cut(filter, until, await markedBefore(db, until));
  const found: ModelCharge[] = [];
  for (const { gone, from, to, without } of parts) {
    if (to <= from) continue;
    let query = db
      .selectFrom('log_hours')
      .select(['name as model', sql<number>`sum(quota - team_quota)`.as('quota')])
      .where('kind', '=', sql.lit(sumKinds.userModel))
      .where('ref', '=', filter.userId)
      .where('gone', '=', sql.lit(gone))
      .where('hour', '>=', from)
      .where('hour', '<', Math.min(to, Number.MAX_SAFE_INTEGER));
    if (without.length > 0) query = query.where('hour', 'not in', without);
    found.push(...numbersOf(await query.groupBy('name').execute()));
  }
  for (const range of ranges) found.push(...(await ofRows(db, { ...filter, ...range })));
  return found;
}

const ofRows = async (db: Db, filter: LogFilter): Promise<ModelCharge[]> =>
  numbersOf(
    await db
      .selectFrom('logs')
      .select(['model_name as model', sql<number>`sum(quota)`.as('quota')])
      .where(chargedFilter({ ...filter, type: CONSUME }, dialectOf(db)))
      .groupBy('model_name')
      .execute(),
  );

const numbersOf = (rows: readonly ModelCharge[]): ModelCharge[] =>
  rows.map(({ model, quota }) => ({ model, quota: Number(quota) }));
