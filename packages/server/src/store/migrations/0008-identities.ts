import { sql } from 'kysely';
import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** The columns of users that held identities, and the names their providers have from now on. */
const before = {
  github_id: 'github',
  oidc_id: 'oidc',
  wechat_id: 'wechat',
  telegram_id: 'telegram',
  linux_do_id: 'linuxdo',
};

/**
 * Identities get a table of their own: any number of providers, and the database itself gives each identity to one user.
 * Of users who shared one, the oldest keeps it, as a sign-in would have found.
 */
export const identities: Migration = {
  name: '0008-identities',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { integer, text } = write.words;
    const moves = Object.entries(before).flatMap(([column, provider]) => [
      write.raw(sql`
        insert into identities (provider, subject, user_id, created_time)
        select ${sql.lit(provider)}, ${sql.ref(column)}, min(users.id), 0 from users
        where ${sql.ref(column)} <> '' and not exists (
          select 1 from identities as known
          where known.provider = ${sql.lit(provider)} and known.subject = ${sql.ref(`users.${column}`)})
        group by ${sql.ref(column)}`),
      write.dropIndex('users', column),
      write.dropColumn('users', column),
    ]);
    return [
      write.table('identities', {
        columns: { provider: text(64), subject: text(255), user_id: integer, created_time: integer },
        primaryKey: ['provider', 'subject'],
      }),
      write.index('identities', 'user', ['user_id']),
      ...moves,
      write.table('sign_in_starts', {
        columns: {
          state_hash: text(64),
          browser_hash: text(64),
          provider: text(64),
          user_id: integer,
          aff_code: text(32),
          expires_time: integer,
        },
        primaryKey: ['state_hash'],
      }),
    ];
  },
};
