import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Alarms of operators, and the state of their delivery. */
export const alarms: Migration = {
  name: '0040-alarms',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { integer, text } = write.words;
    return [
      write.table('alarms', {
        columns: {
          cause: text(32),
          subject: text(64),
          name: text(255),
          detail: text(1_000),
          since: integer,
          ended: integer,
          mail_told: integer,
          mail_tries: integer,
          mail_due: integer,
          post_told: integer,
          post_tries: integer,
          post_due: integer,
        },
        primaryKey: ['cause', 'subject'],
      }),
    ];
  },
};
