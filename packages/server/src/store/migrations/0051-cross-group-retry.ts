import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Keys of the group auto may retry a failed call in their next group. */
export const crossGroupRetry: Migration = {
  name: '0051-cross-group-retry',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    return [write.addColumn('tokens', 'cross_group_retry', write.words.integer, 0)];
  },
};
