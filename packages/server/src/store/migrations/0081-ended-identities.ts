import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Who was disabled by the rules of their provider may be enabled by them again; others only by an administrator. */
export const endedIdentities: Migration = {
  name: '0081-ended-identities',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    return [write.addColumn('identities', 'ended', write.words.integer, 0)];
  },
};
