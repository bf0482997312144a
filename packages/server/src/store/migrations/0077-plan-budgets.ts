import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Plans may limit what a subscriber's calls cost. */
export const planBudgets: Migration = {
  name: '0077-plan-budgets',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { integer, text } = write.words;
    return [
      ...['plans', 'subscriptions'].flatMap((table) => [
        write.addColumn(table, 'budget', integer, 0),
        write.addColumn(table, 'budget_period', text(5), 'day'),
      ]),
      write.addColumn('subscriptions', 'budget_id', integer, 0),
    ];
  },
};
