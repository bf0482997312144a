import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Expiry of codes, and administrators' remarks about channels. */
export const expiryAndRemarks: Migration = {
  name: '0027-expiry-and-remarks',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { integer, text } = write.words;
    return [
      write.addColumn('redemptions', 'expired_time', integer, 0),
      write.addColumn('channels', 'remark', text(255), ''),
    ];
  },
};
