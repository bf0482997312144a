import type { Selectable } from 'kysely';
import type { ScimFilter } from '../../../lib/scim-filter.ts';
import { dialectOf } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import type { ScimUserTable } from '../../schema/people.ts';
import { batches, countOf, type Slice } from '../shared.ts';
import { type Answers, hasLine, whereScim } from './filter-rows.ts';

export type ScimUserRow = Selectable<ScimUserTable>;

/** Every row of an account that was not deleted by an administrator. */
const known = (db: Db) =>
  db
    .selectFrom('scim_users')
    .innerJoin('users', 'users.id', 'scim_users.user_id')
    .selectAll('scim_users')
    .where('users.deleted_at', 'is', null);

/** Adds a user; false if the name exists. */
export const add = (db: Db, row: ScimUserRow): Promise<boolean> =>
  dialectOf(db).insertIfNew(db.insertInto('scim_users').values(row), ['name_key']);

/** Changes a user. A name that exists is a unique violation. */
export async function update(
  db: Db,
  resourceId: string,
  change: Partial<Omit<ScimUserRow, 'resource_id' | 'user_id' | 'created_time'>>,
): Promise<void> {
  await db.updateTable('scim_users').set(change).where('resource_id', '=', resourceId).execute();
}

/** A user whom the directory did not delete. */
export const find = (db: Db, resourceId: string): Promise<ScimUserRow | undefined> =>
  known(db).where('resource_id', '=', resourceId).where('deleted_time', 'is', null).executeTakeFirst();

/** The row of an account, deleted by the directory or not. */
export const ofUser = (db: Db, userId: number): Promise<ScimUserRow | undefined> =>
  db.selectFrom('scim_users').selectAll().where('user_id', '=', userId).executeTakeFirst();

/** The row with a name in lower case, of a deleted account too. */
export const findByName = (db: Db, nameKey: string): Promise<ScimUserRow | undefined> =>
  db.selectFrom('scim_users').selectAll().where('name_key', '=', nameKey).executeTakeFirst();

/** The rows with an external id, of deleted accounts too. */
export const findByExternalId = (db: Db, externalId: string): Promise<ScimUserRow[]> =>
  db.selectFrom('scim_users').selectAll().where('external_id', '=', externalId).execute();

/** Users of the directory with one of these external ids, or with this address; at most two. */
export const findPerson = (
  db: Db,
  { externalIds, email }: { externalIds: readonly string[]; email: string },
): Promise<ScimUserRow[]> =>
  known(db)
    .where('deleted_time', 'is', null)
    .where((eb) =>
      eb.or([
        ...(externalIds.length > 0 ? [eb('external_id', 'in', externalIds)] : []),
        ...(email === ''
          ? []
          : [eb('name_key', '=', email.toLowerCase()), hasLine('scim_users.emails', email.toLowerCase())]),
      ]),
    )
    .limit(2)
    .execute();

const answers: Answers = {
  id: { kind: 'text', column: 'scim_users.resource_id' },
  username: { kind: 'key', column: 'scim_users.name_key' },
  displayname: { kind: 'key', column: 'scim_users.display_key' },
  externalid: { kind: 'text', column: 'scim_users.external_id' },
  emails: { kind: 'lines', column: 'scim_users.emails' },
  'emails.value': { kind: 'lines', column: 'scim_users.emails' },
  active: { kind: 'flag', column: 'scim_users.active' },
  'meta.created': { kind: 'time', column: 'scim_users.created_time' },
  'meta.lastmodified': { kind: 'time', column: 'scim_users.changed_time' },
};

/** The users whom the directory did not delete and who meet a filter. Throws `UnusableFilter`. */
export async function list(
  db: Db,
  filter: ScimFilter | undefined,
  { offset, limit }: Slice,
): Promise<{ rows: ScimUserRow[]; total: number }> {
  let query = known(db).where('deleted_time', 'is', null);
  if (filter) query = query.where(whereScim(db, filter, answers));
  const { total } = await query
    .clearSelect()
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  if (limit === 0) return { rows: [], total: Number(total) };
  const rows = await query.orderBy('scim_users.user_id').offset(offset).limit(limit).execute();
  return { rows, total: Number(total) };
}

/** Removes what is known of an erased account; false if there was nothing. */
export async function removeOf(db: Db, userId: number): Promise<boolean> {
  await db.deleteFrom('scim_members').where('user_id', '=', userId).execute();
  return (
    countOf(await db.deleteFrom('scim_users').where('user_id', '=', userId).executeTakeFirstOrThrow()) > 0
  );
}

/** The users whom the directory did not delete, by the ids of their resources. */
export async function findMany(db: Db, resourceIds: readonly string[]): Promise<ScimUserRow[]> {
  const rows: ScimUserRow[] = [];
  for (const batch of batches(resourceIds))
    rows.push(
      ...(await known(db).where('resource_id', 'in', batch).where('deleted_time', 'is', null).execute()),
    );
  return rows;
}
