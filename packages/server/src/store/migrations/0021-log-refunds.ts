import { sql } from 'kysely';
import type { Db } from '../dialects/types.ts';
import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/**
 * Refunds of a charge are on the row of the charge, so that sums of the log can subtract them. The hours of such
 * charges are marked, and summed again by their job.
 */
export const logRefunds: Migration = {
  name: '0021-log-refunds',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { integer } = write.words;
    return [
      write.addColumn('logs', 'refunded', integer, 0),
      write.addColumn('log_hours', 'refunded', integer, 0),
      write.addColumn('log_hours', 'team_refunded', integer, 0),
      () => writeRefunded(db),
      write.raw(sql`insert into log_hour_marks (hour)
        select distinct created_at - created_at % 3600 from logs where type = 2 and refunded <> 0`),
    ];
  },
};

/** Computes refunds from the rows of refunds, which are few; can be repeated. */
async function writeRefunded(db: Db): Promise<void> {
  const { rows } = await sql<{ request_id: string; total: number | string }>`
    select request_id, sum(quota) as total from logs
    where type = 6 and type <> 2 and request_id <> '' group by request_id`.execute(db);
  for (const { request_id: requestId, total } of rows) {
    await sql`update logs set refunded = ${Number(total)} where request_id = ${requestId} and type = 2`.execute(
      db,
    );
  }
}
