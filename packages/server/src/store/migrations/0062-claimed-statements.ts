import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** A process claims the mail of a statement for some time, so that it is not lost if the process dies. */
export const claimedStatements: Migration = {
  name: '0062-claimed-statements',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    return [write.addColumn('statement_mails', 'claimed_until', write.words.integer, 0)];
  },
};
