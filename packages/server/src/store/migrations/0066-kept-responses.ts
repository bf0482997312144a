import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Responses that the gateway keeps for their callers, because the vendor does not. */
export const keptResponses: Migration = {
  name: '0066-kept-responses',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { id, integer, text, longText, thenById } = write.words;
    return [
      write.table('kept_responses', {
        columns: {
          id,
          name: text(64),
          user_id: integer,
          at: integer,
          size: integer,
          conversation_sealed: longText,
        },
        unique: [['name']],
      }),
      write.index('kept_responses', 'user', thenById('user_id')),
      write.index('kept_responses', 'time', ['at']),
    ];
  },
};
