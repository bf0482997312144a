import { sql } from 'kysely';
import type { SchemaWriter, Step } from '../writer.ts';

/** The largest integer that JavaScript, and so every part of this program, counts exactly. */
const LARGEST = sql.lit(Number.MAX_SAFE_INTEGER);

export function money(write: SchemaWriter): Step[] {
  const { integer, text, longText } = write.words;
  return [
    write.table('accounts', {
      columns: { id: integer, balance: integer, held: integer },
      checks: {
        balance_range: sql`balance >= 0 and balance <= ${LARGEST}`,
        held_range: sql`held >= 0 and held <= ${LARGEST}`,
      },
    }),
    write.table('ledger', {
      columns: {
        id: integer,
        txn: text(128),
        kind: text(20),
        at: integer,
        account_id: integer,
        user_id: integer,
        token_id: integer,
        channel_id: integer,
        account_delta: integer,
        reward_delta: integer,
        writeoff_delta: integer,
        outside_delta: integer,
        token_delta: integer,
        actor_id: integer,
        note: longText,
      },
      // A request id begins with the time, so this index grows at its end and stays cheap.
      unique: [['txn']],
      checks: { sums_to_zero: sql`account_delta + reward_delta + writeoff_delta + outside_delta = 0` },
    }),
    // Movements of an account other than use. Use has one row in every settlement, and each payer would write a
    // separate page in each commit. Its rows are found by request id, and its sums are checked over the whole
    // table.
    write.index('ledger', 'account', write.words.thenById('account_id'), sql`kind <> 'usage'`),
    ...write.appendOnly('ledger'),
    // Holds live for seconds; the table stays small and needs no second index.
    write.table('holds', {
      columns: {
        request_id: text(64),
        account_id: integer,
        user_id: integer,
        token_id: integer,
        channel_id: integer,
        amount: integer,
        token_amount: integer,
        progress: integer,
        at: integer,
        node: text(64),
        request: longText,
      },
      primaryKey: ['request_id'],
      checks: { amounts: sql`amount >= 0 and token_amount >= 0 and progress >= 0` },
    }),
  ];
}
