import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/**
 * Sent notices, counted for all processes together: a warning is sent once, however many processes see the
 * balance.
 */
export const noticeCounts: Migration = {
  name: '0003-notice-counts',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { integer, text } = write.words;
    return [
      write.table('notice_counts', {
        columns: { name: text(100), since: integer, count: integer },
        primaryKey: ['name'],
      }),
    ];
  },
};
