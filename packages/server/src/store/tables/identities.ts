import type { Selectable } from 'kysely';
import { dialectOf } from '../db.ts';
import type { Db } from '../dialects/types.ts';
import type { IdentityTable } from '../schema/people.ts';
import { countOf } from './shared.ts';

export type IdentityRow = Selectable<IdentityTable>;
/** A new identity. */
export type NewIdentity = Omit<IdentityRow, 'ended'>;
/** The key of an identity. */
export type IdentityName = Pick<IdentityRow, 'provider' | 'subject'>;

/** Assigns an identity to a user; false if a user has it already. */
export const add = (db: Db, identity: NewIdentity): Promise<boolean> =>
  dialectOf(db).insertIfNew(db.insertInto('identities').values(identity), ['provider', 'subject']);

/** The owner of an identity: alive, deleted or erased. */
export const find = (db: Db, { provider, subject }: IdentityName): Promise<IdentityRow | undefined> =>
  db
    .selectFrom('identities')
    .selectAll()
    .where('provider', '=', provider)
    .where('subject', '=', subject)
    .executeTakeFirst();

/** The identities of some users. */
export const ofUsers = (db: Db, userIds: readonly number[]): Promise<IdentityRow[]> =>
  userIds.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('identities')
        .selectAll()
        .where('user_id', 'in', userIds)
        .orderBy('provider')
        .orderBy('subject')
        .execute();

/** Removes a provider's identities from a user; false if there were none. */
export async function remove(db: Db, userId: number, provider: string): Promise<boolean> {
  const result = await db
    .deleteFrom('identities')
    .where('user_id', '=', userId)
    .where('provider', '=', provider)
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/** Marks whether a user was disabled by the rules of a provider. */
export async function setEnded(db: Db, userId: number, ended: number): Promise<void> {
  await db.updateTable('identities').set({ ended }).where('user_id', '=', userId).execute();
}

/** Removes all identities from a user. */
export async function removeAll(db: Db, userId: number): Promise<void> {
  await db.deleteFrom('identities').where('user_id', '=', userId).execute();
}

/** Removes all identities of a provider; returns their number. */
export async function removeProvider(db: Db, provider: string): Promise<number> {
  const result = await db.deleteFrom('identities').where('provider', '=', provider).executeTakeFirstOrThrow();
  return countOf(result);
}

/** Number of identities of each of these providers. */
export async function countByProvider(db: Db, providers: readonly string[]): Promise<Map<string, number>> {
  if (providers.length === 0) return new Map();
  const rows = await db
    .selectFrom('identities')
    .select((eb) => ['provider', eb.fn.countAll().as('count')])
    .where('provider', 'in', providers)
    .groupBy('provider')
    .execute();
  return new Map(rows.map(({ provider, count }) => [provider, Number(count)]));
}

/**
 * Number of living users who can sign in only by this provider: no binding of `others`, no password and no address, as
 * far as those are enabled.
 */
export async function countOnlyWay(
  db: Db,
  provider: string,
  open: { others: readonly string[]; byPassword: boolean; byMail: boolean },
): Promise<number> {
  const row = await db
    .selectFrom('identities')
    .innerJoin('users', 'users.id', 'identities.user_id')
    .select((eb) => eb.fn.count('identities.user_id').distinct().as('count'))
    .where('identities.provider', '=', provider)
    .where('users.deleted_at', 'is', null)
    .$if(open.byPassword, (query) => query.where('users.password', '=', ''))
    .$if(open.byMail, (query) => query.where('users.email', '=', ''))
    .$if(open.others.length > 0, (query) =>
      query.where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('identities as other')
              .select('other.subject')
              .whereRef('other.user_id', '=', 'identities.user_id')
              .where('other.provider', 'in', open.others),
          ),
        ),
      ),
    )
    .executeTakeFirstOrThrow();
  return Number(row.count);
}
