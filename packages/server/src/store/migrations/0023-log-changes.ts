import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Changes of log rows in the archive. They wait here until they are applied there, each once. */
export const logChanges: Migration = {
  name: '0023-log-changes',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { integer, text, longText } = write.words;
    return [
      write.table('log_changes', {
        columns: { id: integer, request_id: text(64), refunded: integer, corrected: longText },
      }),
    ];
  },
};
