import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Budgets that each new user, or each new member of an organisation, gets. */
export const budgetDefaults: Migration = {
  name: '0057-budget-defaults',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    return [write.addColumn('budgets', 'for_each', write.words.text(8), '')];
  },
};
