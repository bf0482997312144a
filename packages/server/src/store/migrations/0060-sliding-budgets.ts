import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Budgets with a sliding window have their use by part of it. */
export const slidingBudgets: Migration = {
  name: '0060-sliding-budgets',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    return [write.addNullable('budgets', 'parts', write.words.text(2_000))];
  },
};
