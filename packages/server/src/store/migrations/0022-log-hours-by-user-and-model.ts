import { sql } from 'kysely';
import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/**
 * Adds hourly sums by user and model (kind 7). Hours that were summed without them are marked, so that their job sums
 * them again and their rows are read until then. Rows that were deleted before are not included.
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
