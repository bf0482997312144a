import { type Selectable, sql } from 'kysely';
import { dialectOf } from '../db.ts';
import type { Db } from '../dialects/types.ts';
import { attemptFailures, bucketsOf, type ChannelMinuteTable } from '../schema/calls.ts';
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
