import { sql } from 'kysely';
import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Codes whose credit ends some days after it was redeemed, notices before an expiry, and refunds of top-ups. */
export const creditEnds: Migration = {
  name: '0055-credit-ends',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { integer } = write.words;
    return [
      write.addColumn('redemptions', 'use_within_days', integer, 0),
      write.addColumn('grants', 'noticed_days', integer, 0),
      write.addColumn('grants', 'notice_until', integer, 0),
      write.addColumn('top_ups', 'refunded', integer, 0),
      write.raw(sql`update grants set source = 'admin' where source = 'adjust'`),
    ];
  },
};
