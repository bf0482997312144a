import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** System access tokens with a name, a scope and an expiry, beside the one of each user that has none of these. */
export const accessTokens: Migration = {
  name: '0026-access-tokens',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { id, integer, text } = write.words;
    return [
      write.table('access_tokens', {
        columns: {
          id,
          user_id: integer,
          token_hash: text(64),
          name: text(50),
          scope: text(16),
          created_time: integer,
          used_time: integer,
          expires_time: integer,
        },
        unique: [['token_hash']],
      }),
      write.index('access_tokens', 'user', ['user_id']),
    ];
  },
};
