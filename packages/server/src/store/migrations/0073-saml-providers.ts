import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Providers of SAML beside those of OpenID; they post their answer, which waits for the browser. */
export const samlProviders: Migration = {
  name: '0073-saml-providers',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { text, longText } = write.words;
    return [
      write.addColumn('sign_in_providers', 'kind', text(8), 'oidc'),
      write.addColumn('sign_in_providers', 'attributes', text(2_000), '{}'),
      write.addNullable('sign_in_starts', 'answer', longText),
    ];
  },
};
