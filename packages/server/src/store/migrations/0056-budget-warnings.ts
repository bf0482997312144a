import { sql } from 'kysely';
import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Shares of a budget that are warned of, and the cheaper model that a budget without room uses. */
export const budgetWarnings: Migration = {
  name: '0056-budget-warnings',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { integer, text } = write.words;
    return [
      // Budgets were reported when they were used up.
      write.addColumn('budgets', 'shares', text(64), '100'),
      write.raw(sql`update budgets set shares = '' where run is not null`),
      write.addColumn('budgets', 'instead', text(255), ''),
      write.table('budget_warnings', {
        columns: { budget_id: integer, window_start: integer, share: integer, told: integer },
        primaryKey: ['budget_id', 'window_start', 'share'],
      }),
      write.index('budget_warnings', 'told', ['told']),
    ];
  },
};
