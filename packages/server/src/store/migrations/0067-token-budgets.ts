import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** What a budget counts: quota, or tokens in and out. */
export const tokenBudgets: Migration = {
  name: '0067-token-budgets',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    return [write.addColumn('budgets', 'unit', write.words.text(8), 'quota')];
  },
};
