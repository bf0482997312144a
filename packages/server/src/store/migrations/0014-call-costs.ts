import { sql } from 'kysely';
import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/**
 * Costs of calls for the operator. The index has all columns of margin sums, so that they never read the rows, and
 * only the rows with charges or refunds.
 */
export const callCosts: Migration = {
  name: '0014-call-costs',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { integer, longText } = write.words;
    return [
      write.addNullable('logs', 'cost', integer),
      write.index(
        'logs',
        'margin',
        ['created_at', 'type', 'token_id', 'channel_id', 'model_name', 'user_id', 'team_id', 'quota', 'cost'],
        sql`type in (2, 6)`,
      ),
      write.table('channel_costs', {
        columns: { channel_id: integer, rule: longText, report_key_sealed: longText },
        primaryKey: ['channel_id'],
      }),
    ];
  },
};
