import { logType } from '@tollgate/contract';
import { sql } from 'kysely';
import type { Db } from '../../dialects/types.ts';
import { markOfRequests } from './hours/marks.ts';

/** A charge with a refund other than the additional rows. Quota units. */
export interface Misrefunded {
  id: number;
  request_id: string;
  stored: number;
  computed: number;
}

const charge = sql.lit(logType.consume);
const refund = sql.lit(logType.refund);

/**
 * Charges of the ledger with a `refunded` that differs from the sum of the additional rows (I17). Imported charges
 * have no entry and are left unchanged. Reads only requests with such a row, or with a charge that has a refund.
 */
export async function misrefunded(db: Db, limit = 20): Promise<Misrefunded[]> {
  const { rows } = await sql<Misrefunded>`
    select c.id as id, c.request_id as request_id, c.refunded as stored, coalesce(sum(r.quota), 0) as computed
    from (
      select request_id from logs where type = ${refund} and request_id <> ''
      union select request_id from logs where type = ${charge} and refunded <> 0
    ) named
    join logs c on c.request_id = named.request_id and c.type = ${charge}
    join ledger l on l.txn = c.request_id and l.kind = 'usage'
    left join logs r on r.request_id = c.request_id and r.type = ${refund}
    group by c.id, c.request_id, c.refunded
    having c.refunded <> coalesce(sum(r.quota), 0)
    order by c.id limit ${sql.lit(limit)}`.execute(db);
  return rows.map((row) => ({
    ...row,
    id: Number(row.id),
    stored: Number(row.stored),
    computed: Number(row.computed),
  }));
}

/**
 * Writes the refunds of these charges by their additional rows, and marks their hours; returns the number of changed
 * rows. Part of a transaction. A charge with a newer refund is left unchanged.
 */
export async function rewriteRefunded(db: Db, wrong: readonly Misrefunded[]): Promise<number> {
  if (wrong.length === 0) return 0;
  await markOfRequests(
    db,
    wrong.map(({ request_id: requestId }) => requestId),
  );
  let changed = 0;
  for (const { id, stored, computed } of wrong) {
    const { numUpdatedRows } = await db
      .updateTable('logs')
      .set({ refunded: computed })
      .where('id', '=', id)
      .where('refunded', '=', stored)
      .executeTakeFirst();
    changed += Number(numUpdatedRows);
  }
  return changed;
}
