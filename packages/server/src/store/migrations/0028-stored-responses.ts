import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Channels of stored responses, for the lifetime of the responses. */
export const storedResponses: Migration = {
  name: '0028-stored-responses',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { integer, text } = write.words;
    return [
      write.table('stored_responses', {
        columns: { name: text(64), channel_id: integer, at: integer },
        primaryKey: ['name'],
      }),
      write.index('stored_responses', 'time', ['at']),
    ];
  },
};
