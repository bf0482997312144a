import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** The keys of channels with several keys, and the key of each stored response. */
export const channelKeys: Migration = {
  name: '0030-channel-keys',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { integer, text } = write.words;
    return [
      write.table('channel_keys', {
        columns: {
          channel_id: integer,
          key_id: text(24),
          status: integer,
          reason: text(1_000),
          changed_at: integer,
          uses: integer,
        },
        primaryKey: ['channel_id', 'key_id'],
      }),
      write.addColumn('channels', 'multi_key_mode', text(16), ''),
      write.addColumn('stored_responses', 'key_id', text(24), ''),
    ];
  },
};
