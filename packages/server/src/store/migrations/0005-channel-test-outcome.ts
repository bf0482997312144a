import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Result of a channel's last test, and the reason of its failure. Unknown for channels tested before. */
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
