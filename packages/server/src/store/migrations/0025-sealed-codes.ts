import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/**
 * Redemption codes are stored as a hash, with an encrypted copy. A database cannot encrypt, so a row with an empty
 * copy still has its code in clear text in the hash column, until the next start (services/seals).
 */
export const sealedCodes: Migration = {
  name: '0025-sealed-codes',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    return [
      write.renameColumn('redemptions', 'key', 'key_hash'),
      write.addColumn('redemptions', 'key_sealed', write.words.text(512), ''),
    ];
  },
};
