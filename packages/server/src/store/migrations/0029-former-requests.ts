import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Number of a user's requests before an import. */
export const formerRequests: Migration = {
  name: '0029-former-requests',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    return [write.addColumn('users', 'former_requests', write.words.integer, 0)];
  },
};
