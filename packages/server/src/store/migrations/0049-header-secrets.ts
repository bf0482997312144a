import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Secrets among the headers of channels, encrypted. Those in clear text are encrypted at the next start (services/seals). */
export const headerSecrets: Migration = {
  name: '0049-header-secrets',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    return [write.addNullable('channels', 'header_secrets_sealed', write.words.longText)];
  },
};
