import { sql } from 'kysely';
import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/**
 * Sums by the hour of a user's calls of a model (kind 7) stand in the table that there is. Hours that were summed without
 * them are marked, so that their job sums them anew and their rows are read until then. Rows that were deleted before have
 * no part in them.
 */
export const logHoursByUserAndModel: Migration = {
  name: '0022-log-hours-by-user-and-model',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    return [
      write.raw(sql`insert into log_hour_marks (hour) select distinct hour from log_hours where gone = 0`),
    ];
  },
};
