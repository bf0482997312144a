import { sql } from 'kysely';
import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Tasks of vendors. The index of due polls has only open tasks, however long the list grows. */
export const tasks: Migration = {
  name: '0013-tasks',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { integer, text, longText, thenById } = write.words;
    return [
      write.table('tasks', {
        columns: {
          id: integer,
          task_id: text(64),
          platform: text(16),
          action: text(40),
          user_id: integer,
          team_id: integer,
          channel_id: integer,
          model: text(255),
          upstream_model: text(255),
          vendor_id: text(255),
          state: text(16),
          vendor_status: text(64),
          progress: integer,
          quota: integer,
          request_id: text(64),
          bill: longText,
          request: longText,
          result: longText,
          reason: longText,
          node: text(64),
          submit_time: integer,
          start_time: integer,
          finish_time: integer,
          next_poll: integer,
          poll_failures: integer,
          deadline: integer,
        },
        unique: [['task_id']],
      }),
      write.index('tasks', 'user', thenById('user_id')),
      write.index('tasks', 'submitted', thenById('submit_time')),
      write.index('tasks', 'vendor', ['channel_id', 'vendor_id']),
      write.index('tasks', 'due', ['next_poll', 'channel_id'], sql`next_poll <> 0`),
    ];
  },
};
