import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Runs are budgets with a name of the caller's; budgets may limit the number of calls. */
export const runs: Migration = {
  name: '0050-runs',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { integer, text } = write.words;
    return [
      write.addNullable('budgets', 'run', text(200)),
      write.addColumn('budgets', 'parent', integer, 0),
      write.addColumn('budgets', 'max_calls', integer, 0),
      write.addColumn('budgets', 'calls', integer, 0),
      write.uniqueIndex('budgets', 'run_user', ['run', 'user_id']),
      write.index('budgets', 'user_end', ['user_id', 'window_end']),
    ];
  },
};
