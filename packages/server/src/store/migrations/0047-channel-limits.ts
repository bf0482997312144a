import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Limits of single keys, and what calls cost by channel, key and minute. */
export const channelLimits: Migration = {
  name: '0047-channel-limits',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { integer, text } = write.words;
    return [
      write.addColumn('channel_keys', 'limits', text(255), ''),
      write.addColumn('channel_minutes', 'spent', integer, 0),
    ];
  },
};
