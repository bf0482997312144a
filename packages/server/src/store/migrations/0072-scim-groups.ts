import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Groups of the company's directory, and their members. */
export const scimGroups: Migration = {
  name: '0072-scim-groups',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { id, integer, text } = write.words;
    return [
      write.table('scim_groups', {
        columns: {
          id,
          name: text(255),
          name_key: text(255),
          external_id: text(255),
          created_time: integer,
          changed_time: integer,
        },
        unique: [['name_key']],
      }),
      write.table('scim_members', {
        columns: { group_id: integer, user_id: integer },
        primaryKey: ['group_id', 'user_id'],
      }),
      write.index('scim_members', 'user', ['user_id']),
    ];
  },
};
