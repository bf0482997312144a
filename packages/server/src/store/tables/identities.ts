import type { Selectable } from 'kysely';
import { dialectOf } from '../db.ts';
import type { Db } from '../dialects/types.ts';
import type { IdentityTable } from '../schema/sign-in/identity.ts';
import { countOf } from './shared.ts';

export type IdentityRow = Selectable<IdentityTable>;
/** What names an identity. */
export type IdentityName = Pick<IdentityRow, 'provider' | 'subject'>;

/** Gives an identity to a user; false when somebody has it. */
export const add = (db: Db, identity: IdentityRow): Promise<boolean> =>
  dialectOf(db).insertIfNew(db.insertInto('identities').values(identity), ['provider', 'subject']);

/** Whose an identity is: alive, deleted, or erased since. */
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

/** Takes a provider's identities from a user; false when there were none. */
export async function remove(db: Db, userId: number, provider: string): Promise<boolean> {
  const result = await db
    .deleteFrom('identities')
    .where('user_id', '=', userId)
    .where('provider', '=', provider)
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/** Takes all identities from a user. */
export async function removeAll(db: Db, userId: number): Promise<void> {
  await db.deleteFrom('identities').where('user_id', '=', userId).execute();
}
