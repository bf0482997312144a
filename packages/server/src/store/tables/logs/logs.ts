import { sql } from 'kysely';
import { sendTogether } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import { batches, countOf } from '../shared.ts';
import { lateHours, markOfRequests, marksFor } from './hours/marks.ts';
import { deferOfMissing } from '../log-archive/changes.ts';
import { CONSUME } from './log-filter.ts';
import type { LogRow } from './log-page.ts';

export { list } from './log-page.ts';
export { deleteSome } from './log-deletion.ts';
export { dropMonths, makeMonths } from './log-months.ts';
export {
  consumptionIfKnown,
  consumptions,
  findConsumption,
  countBefore,
  find,
  ofToken,
  recentOutputs,
  findRefunds,
  search,
  stat,
  sumsOfTag,
  timesOfCalls,
  usageOfToken,
} from './log-reads.ts';
export type { LogFilter } from './log-filter.ts';

export type NewLog = Omit<LogRow, 'id' | 'refunded'>;

/** Empty columns of a row that is not about a call. */
export const blank = {
  token_name: '',
  model_name: '',
  quota: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  use_time: 0,
  is_stream: 0,
  channel_id: 0,
  token_id: 0,
  group: '',
  other: '',
  request_id: '',
  team_id: 0,
  cost: null,
  tags: null,
} satisfies Partial<NewLog>;

/** Widths of the text columns that have one. */
const widths = {
  username: 255,
  token_name: 255,
  model_name: 255,
  group: 64,
  request_id: 64,
} as const;

/**
 * The row in the form of every database: texts are cut to the width of their columns and have no NUL, which PostgreSQL
 * refuses. A settlement must not fail because of a text of its log row.
 */
function fit(row: NewLog): NewLog {
  const fitted = { ...row, content: clean(row.content), other: clean(row.other) };
  for (const [column, width] of Object.entries(widths) as [keyof typeof widths, number][]) {
    fitted[column] = clean(row[column]).slice(0, width);
  }
  return fitted;
}

const clean = (text: string): string => (text.includes('\0') ? text.replaceAll('\0', '') : text);

/** Writes rows without a settlement: top-ups, administration, errors. */
export const insert = async (db: Db, rows: readonly NewLog[]): Promise<void> =>
  void (await sendTogether(db, insertions(db, rows)));

/**
 * The statements of `insert`. The mark comes first: without a transaction, an unneeded mark only causes one more read.
 */
export const insertions = (db: Db, rows: readonly NewLog[]) => [
  ...marksFor(db, lateHours(rows.map((row) => row.created_at))),
  ...batches(rows).map((part) => db.insertInto('logs').values(part.map(fit)).compile()),
];

/** Corrects the consumption row of a request, if it has one; in the archive with its next round. */
export async function correct(db: Db, requestId: string, columns: Partial<NewLog>): Promise<void> {
  const texts = {
    ...(columns.content !== undefined && { content: clean(columns.content) }),
    ...(columns.other !== undefined && { other: clean(columns.other) }),
  };
  await markOfRequests(db, [requestId]);
  const corrected = { ...columns, ...texts };
  const changed = await db
    .updateTable('logs')
    .set(corrected)
    .where('request_id', '=', requestId)
    .where('type', '=', CONSUME)
    .executeTakeFirstOrThrow();
  if (countOf(changed) === 0) await deferOfMissing(db, [{ requestId, refunded: 0, corrected }]);
}

/** Refund of a charge, in quota units; negative for an additional charge. */
export interface LogRefund {
  requestId: string;
  quota: number;
}

/**
 * Subtracts refunds and corrections from their charges: the rows keep their quota, and sums subtract `refunded`.
 * Part of the transaction that moves the money. Where a row was deleted meanwhile its charge stays in the sums.
 */
export async function refund(db: Db, refunds: readonly LogRefund[]): Promise<void> {
  const byRequest = new Map<string, number>();
  for (const { requestId, quota } of refunds)
    byRequest.set(requestId, (byRequest.get(requestId) ?? 0) + quota);
  for (const part of batches([...byRequest])) {
    const ids = part.map(([requestId]) => requestId);
    const cases = part.map(([requestId, quota]) => sql`when ${requestId} then ${sql.lit(quota)}`);
    await markOfRequests(db, ids);
    const changed = await db
      .updateTable('logs')
      .set({ refunded: sql<number>`refunded + case request_id ${sql.join(cases, sql` `)} else 0 end` })
      .where('request_id', 'in', ids)
      .where('type', '=', CONSUME)
      .executeTakeFirstOrThrow();
    if (countOf(changed) < part.length)
      await deferOfMissing(
        db,
        part.map(([requestId, quota]) => ({ requestId, refunded: quota, corrected: {} })),
      );
  }
}
