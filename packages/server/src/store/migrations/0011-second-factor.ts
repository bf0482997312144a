import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Authenticator apps, recovery codes and passkeys, and the data of a sign-in in two steps. */
export const secondFactor: Migration = {
  name: '0011-second-factor',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { id, integer, text, longText } = write.words;
    return [
      write.table('authenticators', {
        columns: { user_id: integer, secret_sealed: text(255), confirmed_time: integer, used_step: integer },
        primaryKey: ['user_id'],
      }),
      write.table('recovery_codes', {
        columns: { user_id: integer, code_hash: text(64), active: integer },
        primaryKey: ['user_id', 'code_hash'],
      }),
      write.table('factor_tries', {
        columns: { user_id: integer, failed: integer, locked_until: integer },
        primaryKey: ['user_id'],
      }),
      write.table('passkeys', {
        columns: {
          id,
          user_id: integer,
          id_hash: text(64),
          credential_id: longText,
          public_key: longText,
          counter: integer,
          transports: text(255),
          name: text(64),
          backed_up: integer,
          created_time: integer,
          used_time: integer,
        },
        unique: [['id_hash']],
      }),
      write.index('passkeys', 'user', ['user_id']),
      write.table('passkey_challenges', {
        columns: {
          challenge_hash: text(64),
          purpose: text(16),
          bound_hash: text(64),
          user_id: integer,
          expires_time: integer,
        },
        primaryKey: ['challenge_hash'],
      }),
      write.table('sign_in_tickets', {
        columns: { ticket_hash: text(64), user_id: integer, method: text(64), expires_time: integer },
        primaryKey: ['ticket_hash'],
      }),
      write.index('sign_in_tickets', 'user', ['user_id']),
      write.addColumn('sessions', 'proven_time', integer, 0),
    ];
  },
};
