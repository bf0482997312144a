import { attemptFailures, bucketsOf } from '../schema/calls.ts';
import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** The health of channels, by the minute. */
export const channelMinutes: Migration = {
  name: '0034-channel-minutes',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { integer, text } = write.words;
    const counts = [
      'succeeded',
      'stream_tokens',
      'stream_ms',
      ...attemptFailures,
      ...bucketsOf('first'),
      ...bucketsOf('whole'),
    ];
    return [
      write.table('channel_minutes', {
        columns: {
          minute: integer,
          channel_id: integer,
          key_id: text(24),
          model: text(255),
          ...Object.fromEntries(counts.map((count) => [count, integer])),
        },
        primaryKey: ['minute', 'channel_id', 'key_id', 'model'],
      }),
    ];
  },
};
