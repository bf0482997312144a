import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Codes sent by mail, for all processes of a site together. */
export const mailCodes: Migration = {
  name: '0007-mail-codes',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { integer, text } = write.words;
    return [
      write.table('mail_codes', {
        columns: {
          purpose: text(16),
          email: text(64),
          code_hash: text(64),
          expires_time: integer,
          tries: integer,
        },
        primaryKey: ['purpose', 'email'],
      }),
    ];
  },
};
