import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Relay calls that their callers named (Idempotency-Key), stored for a day. */
export const idempotentCalls: Migration = {
  name: '0002-idempotent-calls',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { integer, text, longText, thenById } = write.words;
    return [
      write.table('idempotent_calls', {
        columns: {
          id: integer,
          name: text(64),
          owner: text(40),
          body_hash: text(64),
          request_id: text(64),
          node: text(64),
          at: integer,
          status: integer,
          size: integer,
          answer: longText,
        },
        unique: [['name']],
      }),
      write.index('idempotent_calls', 'owner', thenById('owner')),
      write.index('idempotent_calls', 'time', ['at']),
    ];
  },
};
