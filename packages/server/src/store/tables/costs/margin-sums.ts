import { logType, testTokenName } from '@tollgate/contract';
import { type RawBuilder, sql } from 'kysely';
import { dialectOf } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import { addUp, inIdRange, onSides, type Side } from '../log-archive/sides.ts';

/** Dimension of a sum: channel, model, user, team, or day (UTC). */
export type MarginBy = 'channel' | 'model' | 'user' | 'team' | 'day';

/** Filter of rows; times are Unix seconds, both included. */
export interface MarginFilter {
  start: number;
  end: number;
  channelId?: number | undefined;
  model?: string | undefined;
}

/** Charges and costs of the rows of one bucket; later refunds are subtracted from their charge. Amounts are quota units. */
export interface MarginSum {
  /** An id, the name of a model, or the start of a day in Unix seconds. */
  bucket: number | string;
  /** Calls with a known cost, with their charge and cost. */
  calls: number;
  charge: number;
  cost: number;
  /** Calls with an unknown cost, with their charge. */
  unknown_calls: number;
  unknown_charge: number;
}

const columns = { channel: 'channel_id', model: 'model_name', user: 'user_id', team: 'team_id' } as const;

/** Sums by bucket, in no order, one for each bucket. One index contains all columns that it reads. */
export async function marginSums(db: Db, by: MarginBy, filter: MarginFilter): Promise<MarginSum[]> {
  const found = await onSides(db, (side) => sumsOn(side, by, filter));
  return found.length === 1 ? found[0]! : addUp(found.flat(), ({ bucket }) => String(bucket), added);
}

const added = ['calls', 'charge', 'cost', 'unknown_calls', 'unknown_charge'] as const;

async function sumsOn({ db, ids }: Side, by: MarginBy, filter: MarginFilter): Promise<MarginSum[]> {
  const bucket =
    by === 'day' ? dialectOf(db).timeBucket(sql.ref<number>('created_at'), 'day') : sql.ref(columns[by]);
  // Channel tests have no charge. Their rows have no token, and only for those must the name be compared.
  const withToken = part(bucket, filter, sql`token_id <> 0 ${inIdRange(ids)}`);
  const without = part(
    bucket,
    filter,
    sql`token_id = 0 and token_name <> ${testTokenName} ${inIdRange(ids)}`,
  );
  const { rows } = await sql<MarginSum>`
    select bucket, sum(calls) as calls, sum(charge) as charge, sum(cost) as cost,
      sum(unknown_calls) as unknown_calls, sum(unknown_charge) as unknown_charge
    from (${withToken} union all ${without}) as parts group by bucket`.execute(db);
  return rows.map((row) => ({
    bucket: by === 'model' ? row.bucket : Number(row.bucket),
    calls: Number(row.calls),
    charge: Number(row.charge),
    cost: Number(row.cost),
    unknown_calls: Number(row.unknown_calls),
    unknown_charge: Number(row.unknown_charge),
  }));
}

function part(bucket: RawBuilder<unknown>, filter: MarginFilter, tokens: RawBuilder<unknown>) {
  const { start, end, channelId, model } = filter;
  const ofChannel = channelId === undefined ? sql`` : sql`and channel_id = ${channelId}`;
  const ofModel = model === undefined ? sql`` : sql`and model_name = ${model}`;
  return sql`
    select ${bucket} as bucket,
      sum(case when cost is not null then 1 else 0 end) as calls,
      sum(case when cost is not null then quota - refunded else 0 end) as charge,
      sum(coalesce(cost, 0)) as cost,
      sum(case when cost is null then 1 else 0 end) as unknown_calls,
      sum(case when cost is null then quota - refunded else 0 end) as unknown_charge
    from logs
    where type = ${sql.lit(logType.consume)} and created_at >= ${start} and created_at <= ${end}
      and ${tokens} ${ofChannel} ${ofModel}
    group by ${bucket}`;
}
