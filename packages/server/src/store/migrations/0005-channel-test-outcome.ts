import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** How the last test of a channel went, and why it failed. Of channels tested before, the outcome is not known. */
export const channelTestOutcome: Migration = {
  name: '0005-channel-test-outcome',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    return [
      write.addColumn('channels', 'test_outcome', write.words.integer, 0),
      write.addNullable('channels', 'test_failure', write.words.longText),
    ];
  },
};
