import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/**
 * Notices that went out, counted for all processes together: a warning comes once, however many of them see the
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
