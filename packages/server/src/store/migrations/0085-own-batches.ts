import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Batches whose calls the gateway makes itself, and texts that it keeps for callers: these calls and their results. */
export const ownBatches: Migration = {
  name: '0085-own-batches',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { id, integer, text, longText } = write.words;
    return [
      write.addColumn('batch_items', 'due_at', integer, 0),
      write.addColumn('batch_items', 'tries', integer, 0),
      write.index('batch_items', 'due', ['task_id', 'due_at']),
      write.table('kept_parts', {
        columns: {
          id,
          object: text(64),
          user_id: integer,
          place: integer,
          piece: integer,
          size: integer,
          expires_at: integer,
          body_sealed: longText,
        },
        unique: [['object', 'place', 'piece']],
      }),
      write.index('kept_parts', 'user', ['user_id']),
      write.index('kept_parts', 'expiry', ['expires_at']),
    ];
  },
};
