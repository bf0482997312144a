import { sql } from 'kysely';
import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Credit with a source, a price and an expiry. Each present balance becomes one grant of the same amount. */
export const grants: Migration = {
  name: '0054-grants',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { id, integer, text, longText } = write.words;
    return [
      write.table('grants', {
        columns: {
          id,
          account_id: integer,
          user_id: integer,
          txn: text(150),
          source: text(20),
          amount: integer,
          remain: integer,
          paid: integer,
          refundable: integer,
          expires_at: integer,
          created_at: integer,
          kept_for: longText,
        },
        unique: [['txn']],
        checks: { remain_range: sql`remain >= 0 and remain <= amount` },
      }),
      write.index('grants', 'account', ['account_id', 'remain']),
      write.index('grants', 'expiry', ['expires_at', 'remain']),
      write.addColumn('accounts', 'granted', integer, 0),
      write.addColumn('accounts', 'next_expiry', integer, 0),
      write.addColumn('accounts', 'expired', integer, 0),
      write.raw(sql`update accounts set granted = balance where granted = 0`),
      // From `granted`: another process may still charge balances. A repetition after an interruption adds nothing.
      write.raw(sql`insert into grants (account_id, user_id, txn, source, amount, remain, paid, refundable, expires_at,
          created_at, kept_for)
        select id, 0, concat('balance:', id), 'balance', granted, granted, 0, 0, 0, 0, '' from accounts
        where granted > 0 and id not in (select account_id from (select account_id from grants) g)`),
    ];
  },
};
