import { type Selectable, sql } from 'kysely';
import { dialectOf } from '../db.ts';
import type { Db } from '../dialects/types.ts';
import { attemptFailures, bucketsOf, type ChannelMinuteTable, timeBounds } from '../schema/calls.ts';
import { batches } from './shared.ts';

export { attemptFailures, type AttemptFailure, bucketsOf, timeBounds } from '../schema/calls.ts';

export type ChannelMinute = Selectable<ChannelMinuteTable>;

const counts = [
  'succeeded',
  'stream_tokens',
  'stream_ms',
  'spent',
  ...attemptFailures,
  ...bucketsOf('first'),
  ...bucketsOf('whole'),
] as const;
type Count = (typeof counts)[number];
type Counts = Pick<ChannelMinute, Count>;

/** A row with all counters at 0. */
export const emptyCounts = (): Counts => Object.fromEntries(counts.map((count) => [count, 0])) as Counts;

/** Adds to the counters; no two of `rows` may have the same minute, channel, key and model. */
export async function add(db: Db, rows: readonly ChannelMinute[]): Promise<void> {
  const { upsert, incoming } = dialectOf(db);
  const plus = (column: Count) => sql<number>`${sql.ref(`channel_minutes.${column}`)} + ${incoming(column)}`;
  const set = Object.fromEntries(counts.map((column) => [column, plus(column)]));
  for (const part of batches(rows, 100))
    await db
      .insertInto('channel_minutes')
      .values(part)
      .modifyEnd(upsert(['minute', 'channel_id', 'key_id', 'model'], set))
      .execute();
}

/** Dimensions of sums. */
export type HealthPart = 'channel_id' | 'key_id' | 'model';

/**
 * Sums of each `step` seconds since a moment (Unix seconds), for each of `parts`: of all channels, or of one (0 for
 * calls from the callers' view).
 */
export async function sums<Part extends HealthPart>(
  db: Db,
  parts: readonly Part[],
  { since, step, channel }: { since: number; step: number; channel?: number | undefined },
): Promise<(Pick<ChannelMinute, Part> & Counts & { at: number })[]> {
  const at = sql<number>`minute - minute % ${sql.lit(step)}`;
  const query = db
    .selectFrom('channel_minutes')
    .select(parts)
    .select(at.as('at'))
    .select((eb) => counts.map((count) => eb.fn.sum<number>(count).as(count)))
    .where('minute', '>=', since)
    .where('channel_id', channel === undefined ? '>' : '=', channel ?? 0)
    .groupBy([...parts, at]);
  const rows = (await query.execute()) as unknown as (Pick<ChannelMinute, Part> & Counts & { at: number })[];
  return rows.map((row) => ({ ...row, ...numbersOf(row), at: Number(row.at) }));
}

/** What calls have cost since a moment (Unix seconds), by channel and key. */
export async function spentSince(
  db: Db,
  since: number,
): Promise<{ channelId: number; keyId: string; spent: number }[]> {
  const rows = await db
    .selectFrom('channel_minutes')
    .select(({ fn }) => ['channel_id', 'key_id', fn.sum<number>('spent').as('spent')])
    .where('minute', '>=', since)
    .where('channel_id', '>', 0)
    .groupBy(['channel_id', 'key_id'])
    .execute();
  return rows.map((row) => ({ channelId: row.channel_id, keyId: row.key_id, spent: Number(row.spent) }));
}

/** Sums come as text from some databases. */
const numbersOf = (row: Counts): Counts =>
  Object.fromEntries(counts.map((count) => [count, Number(row[count])])) as Counts;

/** Deletes the minutes before one. */
export async function removeBefore(db: Db, minute: number): Promise<void> {
  await db.deleteFrom('channel_minutes').where('minute', '<', minute).execute();
}

/** Attempts on a channel for a model: all of them, or those of a minute. */
export interface AttemptRate {
  /** Unix seconds of the minute's start; 0 for the whole time. */
  minute: number;
  channelId: number;
  model: string;
  succeeded: number;
  failed: number;
  /** Number of known waits for the first byte, and their sum in ms, accurate to their buckets. */
  waits: number;
  waitMs: number;
}

/** Middle of a bucket of a duration, in ms. */
export const middleOf = (place: number): number => {
  const [from = 0, to = from * 1.5] = [timeBounds[place - 1], timeBounds[place]];
  return Math.round((from + to) / 2);
};

/** Attempts of all keys of channels in a time range (Unix seconds, the end not included), by minute or in sum. */
export async function rates(
  db: Db,
  { from, to }: { from: number; to: number },
  by: 'minute' | 'all',
): Promise<AttemptRate[]> {
  const minute = by === 'minute' ? sql.ref('minute') : sql.lit(0);
  const add = (columns: readonly string[]) =>
    sql.join(
      columns.map((column) => sql.ref(column)),
      sql` + `,
    );
  const firsts = bucketsOf('first');
  const waited = firsts.map((bucket, place) => sql`${sql.ref(bucket)} * ${sql.lit(middleOf(place))}`);
  const { rows } = await sql<Record<keyof AttemptRate, number | string>>`
    select ${minute} as ${sql.ref('minute')}, channel_id as ${sql.ref('channelId')}, model,
      sum(succeeded) as succeeded, sum(${add(attemptFailures)}) as failed,
      sum(${add(firsts)}) as waits, sum(${sql.join(waited, sql` + `)}) as ${sql.ref('waitMs')}
    from channel_minutes where minute >= ${sql.lit(from)} and minute < ${sql.lit(to)} and channel_id > 0
    group by ${by === 'minute' ? sql`minute, ` : sql``} channel_id, model`.execute(db);
  return rows.map((row) => ({
    minute: Number(row.minute),
    channelId: Number(row.channelId),
    model: String(row.model),
    succeeded: Number(row.succeeded),
    failed: Number(row.failed),
    waits: Number(row.waits),
    waitMs: Number(row.waitMs),
  }));
}

/** The minutes of a model in a time range, by channel. */
export async function ofModel(
  db: Db,
  model: string,
  { from, to }: { from: number; to: number },
): Promise<ChannelMinute[]> {
  const rows = await db
    .selectFrom('channel_minutes')
    .selectAll()
    .where('minute', '>=', from)
    .where('minute', '<', to)
    .where('model', '=', model)
    .where('channel_id', '>', 0)
    .orderBy('minute')
    .execute();
  return rows.map((row) => ({ ...row, ...numbersOf(row) }));
}
