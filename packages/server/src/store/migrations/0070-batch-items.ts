import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Items of running batches: each is charged at most once. */
export const batchItems: Migration = {
  name: '0070-batch-items',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { id, integer, text } = write.words;
    return [
      write.table('batch_items', {
        columns: {
          id,
          task_id: integer,
          name: text(64),
          place: integer,
          price: integer,
          tokens: integer,
        },
        unique: [['task_id', 'name']],
      }),
    ];
  },
};
