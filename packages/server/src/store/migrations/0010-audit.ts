import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Minimum age of deleted audit rows. The database enforces it, independent of the operator's setting. */
const keptSeconds = 30 * 86_400;

/** Actions and attempts of people, for later examination. */
export const audit: Migration = {
  name: '0010-audit',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { integer, text, longText, thenById } = write.words;
    return [
      write.table('audit', {
        columns: {
          id: integer,
          at: integer,
          kind: text(64),
          outcome: text(64),
          actor_id: integer,
          actor_name: text(255),
          user_id: integer,
          target_type: text(32),
          target_id: text(255),
          target_name: text(255),
          method: text(64),
          ip: text(64),
          user_agent: text(255),
          request_id: text(64),
          detail: longText,
        },
      }),
      write.index('audit', 'time', thenById('at')),
      write.index('audit', 'user', thenById('user_id')),
      write.index('audit', 'actor', thenById('actor_id')),
      write.index('audit', 'kind', thenById('kind')),
      ...write.appendOnlyFor('audit', keptSeconds),
    ];
  },
};
