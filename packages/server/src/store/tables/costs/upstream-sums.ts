import { logType } from '@tollgate/contract';
import { sql } from 'kysely';
import { dialectOf } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import { addUp, inIdRange, onSides, type Side } from '../log-archive/sides.ts';

/** Filter of calls; times are Unix seconds, the end is not included. */
export interface UpstreamFilter {
  channels: readonly number[];
  start: number;
  end: number;
}

/** Sums of our books for one day, channel and pair of names. Costs are quota units. */
export interface UpstreamSum {
  /** Start of the day (UTC), Unix seconds. */
  day: number;
  channel: number;
  /** The model's name for callers, and its name for the vendor. */
  model: string;
  upstream: string;
  calls: number;
  input: number;
  cached: number;
  output: number;
  cost: number;
  /** Calls with an unknown cost. */
  unknown_calls: number;
}

/**
 * Sums that a vendor counts too: every answered call of a channel, including tests, which are not charged. By the end
 * of the call.
 */
export async function upstreamSums(db: Db, filter: UpstreamFilter): Promise<UpstreamSum[]> {
  const found = await onSides(db, (side) => sumsOn(side, filter));
  return found.length === 1 ? found[0]! : addUp(found.flat(), keyOf, added);
}

const added = ['calls', 'input', 'cached', 'output', 'cost', 'unknown_calls'] as const;
const keyOf = ({ day, channel, model, upstream }: UpstreamSum) =>
  JSON.stringify([day, channel, model, upstream]);

async function sumsOn({ db, ids }: Side, { channels, start, end }: UpstreamFilter): Promise<UpstreamSum[]> {
  const { timeBucket, jsonMember } = dialectOf(db);
  const other = sql.ref<string>('other');
  const day = timeBucket(sql.ref<number>('created_at'), 'day');
  const { rows } = await sql<Record<keyof UpstreamSum, unknown>>`
    select day, channel, model, upstream, count(*) as calls, sum(input) as input,
      sum(cast(coalesce(cached, '0') as decimal(20, 0))) as cached, sum(output) as output,
      sum(coalesce(cost, 0)) as cost, sum(case when cost is null then 1 else 0 end) as unknown_calls
    from (
      select ${day} as day, channel_id as channel, model_name as model,
        coalesce(${jsonMember(other, 'upstream_model_name')}, model_name) as upstream,
        prompt_tokens as input, completion_tokens as output, ${jsonMember(other, 'cache_tokens')} as cached, cost
      from logs
      where type = ${logType.consume} and created_at >= ${start} and created_at < ${end}
        and channel_id in (${sql.join(channels)}) ${inIdRange(ids)}
    ) as calls_of group by day, channel, model, upstream`.execute(db);
  return rows.map((row) => ({
    day: Number(row.day),
    channel: Number(row.channel),
    model: String(row.model),
    upstream: String(row.upstream),
    calls: Number(row.calls),
    input: Number(row.input),
    cached: Number(row.cached),
    output: Number(row.output),
    cost: Number(row.cost),
    unknown_calls: Number(row.unknown_calls),
  }));
}
