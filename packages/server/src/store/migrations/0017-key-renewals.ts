import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Keys of channels that are being renewed at their vendor, each by one process. */
export const keyRenewals: Migration = {
  name: '0017-key-renewals',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { integer, text } = write.words;
    return [
      write.table('key_renewals', {
        columns: { key_hash: text(64), until: integer },
        primaryKey: ['key_hash'],
      }),
    ];
  },
};
