import { sql } from 'kysely';
import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Channels of stored responses, among all that vendors keep. */
export const storedResponsesAsObjects: Migration = {
  name: '0079-stored-responses-as-objects',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    return [
      // Their names contain the user, who is in no column. OpenAI keeps a response for 30 days.
      write.raw(sql`insert into vendor_objects
        (name, user_id, kind, purpose, channel_id, key_id, bytes, expires_at, body)
        select name, 0, 'response', '', channel_id, key_id, 0, at + 2592000, '' from stored_responses
        where name not in (select name from vendor_objects where user_id = 0)`),
      write.dropTable('stored_responses'),
    ];
  },
};
