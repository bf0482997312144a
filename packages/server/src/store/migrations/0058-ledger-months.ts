import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Sums of the ledger by wallet and month, and the wallets whose statement is mailed. */
export const ledgerMonths: Migration = {
  name: '0058-ledger-months',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { integer, text } = write.words;
    return [
      write.table('ledger_months', {
        columns: {
          account_id: integer,
          month: integer,
          kind: text(20),
          token_id: integer,
          amount: integer,
          count: integer,
        },
        primaryKey: ['account_id', 'month', 'kind', 'token_id'],
      }),
      write.table('statement_mails', {
        columns: { account_id: integer, user_id: integer, team_id: integer, mailed_until: integer },
        primaryKey: ['account_id', 'user_id'],
      }),
    ];
  },
};
