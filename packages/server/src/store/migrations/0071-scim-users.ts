import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Users whom the company's directory sends. */
export const scimUsers: Migration = {
  name: '0071-scim-users',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { integer, text, longText } = write.words;
    return [
      write.table('scim_users', {
        columns: {
          resource_id: text(36),
          user_id: integer,
          name_key: text(255),
          display_key: text(255),
          external_id: text(255),
          emails: longText,
          profile: longText,
          active: integer,
          deleted_time: integer,
          created_time: integer,
          changed_time: integer,
        },
        nullable: ['deleted_time'],
        primaryKey: ['resource_id'],
        unique: [['user_id'], ['name_key']],
      }),
      write.index('scim_users', 'external', ['external_id']),
    ];
  },
};
