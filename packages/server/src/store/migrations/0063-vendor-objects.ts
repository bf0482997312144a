import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** What vendors keep for callers: their files. */
export const vendorObjects: Migration = {
  name: '0063-vendor-objects',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { id, integer, text, longText } = write.words;
    return [
      write.table('vendor_objects', {
        columns: {
          id,
          name: text(64),
          user_id: integer,
          kind: text(16),
          purpose: text(64),
          channel_id: integer,
          key_id: text(64),
          bytes: integer,
          expires_at: integer,
          body: longText,
        },
        unique: [['name', 'user_id']],
      }),
      write.index('vendor_objects', 'user', ['user_id', 'kind']),
      write.index('vendor_objects', 'expiry', ['expires_at']),
    ];
  },
};
