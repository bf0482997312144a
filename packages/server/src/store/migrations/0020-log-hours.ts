import { sql } from 'kysely';
import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/**
 * Sums of the log by the hour, for sums over any time that do not read all of its rows. They begin empty: a job sums
 * the existing rows, the oldest hour first.
 */
export const logHours: Migration = {
  name: '0020-log-hours',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { integer, text } = write.words;
    return [
      write.table('log_hours', {
        columns: {
          kind: integer,
          ref: integer,
          name: text(255),
          hour: integer,
          gone: integer,
          quota: integer,
          team_quota: integer,
        },
        primaryKey: ['kind', 'ref', 'name', 'hour', 'gone'],
      }),
      // An hour is always replaced as a whole.
      write.index('log_hours', 'hour', ['hour']),
      // Ids under which a former name is in the log: 1 is the kind of users.
      write.index('log_hours', 'user_name', ['name', 'ref'], sql`kind = 1`),
      write.table('log_hour_marks', { columns: { id: integer, hour: integer } }),
    ];
  },
};
