import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** OpenID providers that root adds, any number of them. */
export const signInProviders: Migration = {
  name: '0009-sign-in-providers',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { integer, text, longText } = write.words;
    return [
      write.table('sign_in_providers', {
        columns: {
          slug: text(64),
          name: text(64),
          logo: longText,
          well_known: longText,
          issuer: longText,
          client_id: text(255),
          client_secret_sealed: longText,
          scopes: longText,
          enabled: integer,
          position: integer,
          created_time: integer,
        },
        primaryKey: ['slug'],
      }),
    ];
  },
};
