import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Signed receipts of ledger entries, in a chain for each wallet, and the keys that sign them. */
export const receipts: Migration = {
  name: '0088-receipts',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { integer, text, longText } = write.words;
    return [
      write.table('receipt_keys', {
        columns: {
          serial: integer,
          kid: text(43),
          public_key: text(43),
          private_key_sealed: text(255),
          created_at: integer,
        },
        primaryKey: ['serial'],
      }),
      write.table('receipts', {
        columns: {
          account_id: integer,
          seq: integer,
          ledger_id: integer,
          at: integer,
          body: longText,
          signature: text(86),
        },
        primaryKey: ['account_id', 'seq'],
        unique: [['ledger_id']],
      }),
      write.index('receipts', 'time', ['account_id', 'at']),
    ];
  },
};
