import { logType } from '@tollgate/contract';
import { sql, type ExpressionBuilder, type RawBuilder, type Selectable } from 'kysely';
import { hourOf } from '../../../lib/clock.ts';
import { dialectOf, sendTogether } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import type { Database } from '../../schema/index.ts';
import type { QuotaDataTable } from '../../schema/upkeep.ts';
import { lateDelta } from '../late-entries.ts';
import { batches } from '../shared.ts';
import { addUp, inIdRange, onSides, readOn, type Side, findSides } from '../log-archive/sides.ts';

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
export const add = async (db: Db, sums: readonly NewQuotaData[]): Promise<void> =>
  void (await sendTogether(db, additions(db, sums)));

/** The statements of `add`. */
export function additions(db: Db, sums: readonly NewQuotaData[]) {
  const { upsert, incoming } = dialectOf(db);
  return batches(sums).map((part) =>
    db
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
      .compile(),
  );
}

const plus = (db: Db, column: 'count' | 'quota' | 'token_used'): RawBuilder<number> =>
  sql<number>`${sql.ref(`quota_data.${column}`)} + ${dialectOf(db).incoming(column)}`;

/** Sums per model and hour over all users (docs/compatibility.md#dashboard-sums). */
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

const spent = (eb: ExpressionBuilder<Database, 'logs'>) =>
  eb.fn.sum<number>(eb('quota', '-', eb.ref('refunded')));

/** Payments of teams for one user's calls, by model and hour, minus refunds. */
export async function paidByTeams(db: Db, userId: number, period: Period): Promise<TeamPaid[]> {
  const found = await onSides(db, (side) => paidOn(side, userId, period));
  const keyOf = ({ model_name: model, created_at: at }: TeamPaid) => JSON.stringify([model, at]);
  return found.length === 1 ? found[0]! : addUp(found.flat(), keyOf, ['quota']);
}

type TeamPaid = Pick<QuotaDataRow, 'model_name' | 'created_at' | 'quota'>;

async function paidOn({ db, ids }: Side, userId: number, { start, end }: Period): Promise<TeamPaid[]> {
  const hour = dialectOf(db).timeBucket(sql.ref<number>('created_at'), 'hour');
  const rows = await db
    .selectFrom('logs')
    .select((eb) => ['model_name', hour.as('hour'), spent(eb).as('quota')])
    .where('user_id', '=', userId)
    .where('team_id', '<>', sql.lit(0))
    .where('type', '=', sql.lit(logType.consume))
    .where('created_at', '>=', hourOf(start))
    .where(sql<boolean>`created_at <= ${end} ${inIdRange(ids)}`)
    .groupBy(['model_name', hour])
    .execute();
  return rows.map((row) => ({ ...row, created_at: Number(row.hour), quota: Number(row.quota) }));
}

/** The start of the oldest hour with all of its consumption rows: earlier rows of the log may have been deleted. */
export async function firstWholeHour(db: Db): Promise<number | undefined> {
  const found = await onSides(db, ({ db: one }) =>
    one
      .selectFrom('logs')
      .select('created_at')
      .where('type', '=', logType.consume)
      .orderBy('created_at')
      .limit(1)
      .executeTakeFirst(),
  );
  const times = found.flatMap((row) => row?.created_at ?? []);
  const oldest = Math.min(...times);
  return times.length === 0 ? undefined : hourOf(oldest) + 3600;
}

/**
 * Expected rows of a period by the ledger (amounts) and its log rows (model, tokens). Later refunds count in the hour
 * of their charge.
 */
export async function fromLedger(db: Db, period: Period): Promise<NewQuotaData[]> {
  const sides = await findSides(db);
  return sides.length === 1 ? joined(db, period) : gathered(db, sides, period);
}

async function joined(db: Db, { start, end }: Period): Promise<NewQuotaData[]> {
  const hour = dialectOf(db).timeBucket(sql.ref<number>('logs.created_at'), 'hour');
  const { rows } = await sql<NewQuotaData>`
    select logs.user_id as user_id, logs.model_name as model_name, ${hour} as created_at,
      max(logs.username) as username, count(*) as count,
      sum(-(ledger.account_delta + ${lateDelta('ledger')}) - coalesce(refunds.quota, 0)) as quota,
      sum(logs.prompt_tokens + logs.completion_tokens) as token_used
    from logs inner join ledger on ledger.txn = logs.request_id
    left join (
      select request_id, sum(quota) as quota from logs
      where type = ${sql.lit(logType.refund)} and created_at >= ${start} group by request_id
    ) refunds on refunds.request_id = logs.request_id
    where ledger.kind = 'usage' and logs.type = ${sql.lit(logType.consume)}
      and logs.created_at >= ${start} and logs.created_at <= ${end}
    group by logs.user_id, logs.model_name, ${hour}`.execute(db);
  return rows.map((row) => ({
    ...row,
    created_at: Number(row.created_at),
    count: Number(row.count),
    quota: Number(row.quota),
    token_used: Number(row.token_used),
  }));
}

/** The same if the ledger and its log rows are in different databases. */
async function gathered(db: Db, sides: readonly Side[], { start, end }: Period): Promise<NewQuotaData[]> {
  const hours = new Map<string, NewQuotaData>();
  for (const side of sides) {
    for await (const rows of consumptionWithin(side, { start, end })) {
      const requests = rows.map((row) => row.request_id);
      const taken = await takenFor(db, requests);
      const refunds = await refundedTo(sides, requests, start);
      for (const row of rows) {
        const charge = taken.get(row.request_id);
        if (charge === undefined) continue;
        const hour = hourOf(row.created_at);
        const key = JSON.stringify([row.user_id, row.model_name, hour]);
        const sum = hours.get(key) ?? { ...nothing, ...row, created_at: hour };
        hours.set(key, {
          user_id: row.user_id,
          model_name: row.model_name,
          created_at: hour,
          username: sum.username > row.username ? sum.username : row.username,
          count: sum.count + 1,
          quota: sum.quota + charge - (refunds.get(row.request_id) ?? 0),
          token_used: sum.token_used + row.prompt_tokens + row.completion_tokens,
        });
      }
    }
  }
  return [...hours.values()];
}

const nothing = { count: 0, quota: 0, token_used: 0 };
const rowsAtOnce = 2_000;

async function* consumptionWithin(side: Side, period: Period) {
  for (let after = 0; ;) {
    const rows = await readOn(side, () => consumptionBehind(side, after, period));
    if (rows.length > 0) yield rows;
    if (rows.length < rowsAtOnce) return;
    after = rows.at(-1)!.id;
  }
}

const consumptionBehind = ({ db, ids }: Side, after: number, { start, end }: Period) =>
  db
    .selectFrom('logs')
    .select(['id', 'user_id', 'username', 'model_name', 'created_at', 'request_id'])
    .select(['prompt_tokens', 'completion_tokens'])
    .where('type', '=', logType.consume)
    .where(sql<boolean>`created_at >= ${start} and created_at <= ${end} and id > ${after} ${inIdRange(ids)}`)
    .orderBy('id')
    .limit(rowsAtOnce)
    .execute();

/** Charges of requests by the ledger, including late parts. */
async function takenFor(db: Db, requestIds: readonly string[]): Promise<Map<string, number>> {
  const taken = new Map<string, number>();
  for (const part of batches(requestIds)) {
    const { rows } = await sql<{ txn: string; taken: number | string }>`
      select l.txn as txn, -(l.account_delta + ${lateDelta('l')}) as taken from ledger l
      where l.kind = 'usage' and l.txn in (${sql.join(part)})`.execute(db);
    for (const row of rows) taken.set(row.txn, Number(row.taken));
  }
  return taken;
}

/** Refunds of requests by rows since a moment. */
async function refundedTo(sides: readonly Side[], requestIds: readonly string[], since: number) {
  const refunds = new Map<string, number>();
  for (const side of sides) {
    for (const part of batches(requestIds)) {
      const { rows } = await readOn(side, ({ db, ids }) =>
        sql<{ request_id: string; quota: number | string }>`
          select request_id, sum(quota) as quota from logs where request_id in (${sql.join(part)})
            and type = ${sql.lit(logType.refund)} and created_at >= ${since} ${inIdRange(ids)}
          group by request_id`.execute(db),
      );
      for (const row of rows)
        refunds.set(row.request_id, (refunds.get(row.request_id) ?? 0) + Number(row.quota));
    }
  }
  return refunds;
}

/** All rows of a period. */
export const within = (db: Db, { start, end }: Period): Promise<QuotaDataRow[]> =>
  db
    .selectFrom('quota_data')
    .selectAll()
    .where('created_at', '>=', start)
    .where('created_at', '<=', end)
    .execute();

/** Replaces the rows of their user, model and hour. */
export async function put(db: Db, rows: readonly NewQuotaData[]): Promise<void> {
  const { upsert, incoming } = dialectOf(db);
  for (const part of batches(rows)) {
    await db
      .insertInto('quota_data')
      .values(part)
      .modifyEnd(
        upsert(['user_id', 'model_name', 'created_at'], {
          count: incoming('count'),
          quota: incoming('quota'),
          token_used: incoming('token_used'),
        }),
      )
      .execute();
  }
}

export async function remove(db: Db, ids: readonly number[]): Promise<void> {
  for (const part of batches(ids)) await db.deleteFrom('quota_data').where('id', 'in', part).execute();
}
