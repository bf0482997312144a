import { sql } from 'kysely';
import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/**
 * Margins subtract refunds from their charges, like all sums of the log, so their index includes the refunds. Rows of
 * refunds are in no sum, and no longer in the index.
 */
export const marginRefunds: Migration = {
  name: '0024-margin-refunds',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const held = [
      'created_at',
      'type',
      'token_id',
      'channel_id',
      'model_name',
      'user_id',
      'team_id',
      'quota',
      'refunded',
      'cost',
    ];
    return [write.dropIndex('logs', 'margin'), write.index('logs', 'margin', held, sql`type = 2`)];
  },
};
