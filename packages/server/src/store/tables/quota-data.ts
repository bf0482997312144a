import { sql } from 'kysely';
import type { RawBuilder, Selectable } from 'kysely';
import { dialectOf } from '../db.ts';
import type { Db } from '../dialects/types.ts';
import type { QuotaDataTable } from '../schema/quota-data.ts';
import { batches } from './shared.ts';

export type QuotaDataRow = Selectable<QuotaDataTable>;
export type NewQuotaData = Omit<QuotaDataRow, 'id'>;
/** Sums of all users per model and hour. */
export type ModelHour = Pick<QuotaDataRow, 'model_name' | 'created_at' | 'count' | 'quota' | 'token_used'>;

/** From and to, in Unix seconds, both included. */
export interface Period {
  start: number;
  end: number;
}

/** Adds to the rows of their user, model and hour; no two of `sums` may share all three. */
export async function add(db: Db, sums: readonly NewQuotaData[]): Promise<void> {
  const { upsert, incoming } = dialectOf(db);
  for (const part of batches(sums)) {
    await db
      .insertInto('quota_data')
      .values(part)
      .modifyEnd(
        upsert(['user_id', 'model_name', 'created_at'], {
          username: incoming<string>('username'),
          count: plus(db, 'count'),
          quota: plus(db, 'quota'),
          token_used: plus(db, 'token_used'),
        }),
      )
      .execute();
  }
}

const plus = (db: Db, column: 'count' | 'quota' | 'token_used'): RawBuilder<number> =>
  sql<number>`${sql.ref(`quota_data.${column}`)} + ${dialectOf(db).incoming(column)}`;

/** Sums per model and hour over all users (wire-facts 8.1). */
export const byModel = (db: Db, { start, end }: Period): Promise<ModelHour[]> =>
  db
    .selectFrom('quota_data')
    .select(['model_name', 'created_at'])
    .select((eb) => [
      eb.fn.sum<number>('count').as('count'),
      eb.fn.sum<number>('quota').as('quota'),
      eb.fn.sum<number>('token_used').as('token_used'),
    ])
    .where('created_at', '>=', start)
    .where('created_at', '<=', end)
    .groupBy(['model_name', 'created_at'])
    .orderBy('created_at')
    .orderBy('model_name')
    .execute();

/** The rows of one user. */
export const ofUser = (db: Db, userId: number, { start, end }: Period): Promise<QuotaDataRow[]> =>
  db
    .selectFrom('quota_data')
    .selectAll()
    .where('user_id', '=', userId)
    .where('created_at', '>=', start)
    .where('created_at', '<=', end)
    .orderBy('created_at')
    .orderBy('model_name')
    .execute();
