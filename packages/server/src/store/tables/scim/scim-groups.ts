import { type Insertable, type Selectable, sql } from 'kysely';
import type { ScimFilter } from '../../../lib/scim-filter.ts';
import { dialectOf } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import type { ScimGroupTable } from '../../schema/people.ts';
import { batches, countOf, type Slice } from '../shared.ts';
import { type Answers, whereScim } from './filter-rows.ts';

export type ScimGroupRow = Selectable<ScimGroupTable>;

/** A member of a group, or a group of a member. */
export interface Membership {
  groupId: number;
  groupName: string;
  userId: number;
  /** Id of the member's resource. */
  resourceId: string;
  /** `userName` of the member in lower case. */
  nameKey: string;
}

/** Returns the new id. A name that exists is a unique violation. */
export const create = (db: Db, row: Insertable<ScimGroupTable>): Promise<number> =>
  dialectOf(db).insertReturningId(db.insertInto('scim_groups').values(row));

export const find = (db: Db, id: number): Promise<ScimGroupRow | undefined> =>
  db.selectFrom('scim_groups').selectAll().where('id', '=', id).executeTakeFirst();

/** Locks a group until the transaction ends. */
export const findLocked = (db: Db, id: number): Promise<ScimGroupRow | undefined> =>
  dialectOf(db)
    .lockRows(db.selectFrom('scim_groups').selectAll().where('id', '=', id))
    .executeTakeFirst();

/** Changes a group. A name that exists is a unique violation. */
export async function update(
  db: Db,
  id: number,
  change: Partial<Omit<ScimGroupRow, 'id' | 'created_time'>>,
): Promise<void> {
  await db.updateTable('scim_groups').set(change).where('id', '=', id).execute();
}

/** Removes a group with its memberships; false if there was none. */
export async function remove(db: Db, id: number): Promise<boolean> {
  await db.deleteFrom('scim_members').where('group_id', '=', id).execute();
  return countOf(await db.deleteFrom('scim_groups').where('id', '=', id).executeTakeFirstOrThrow()) > 0;
}

export async function addMember(db: Db, groupId: number, userId: number): Promise<void> {
  const row = { group_id: groupId, user_id: userId };
  await dialectOf(db).insertIfNew(db.insertInto('scim_members').values(row), ['group_id', 'user_id']);
}

export async function removeMembers(db: Db, groupId: number, userIds: readonly number[]): Promise<void> {
  for (const batch of batches(userIds))
    await db
      .deleteFrom('scim_members')
      .where('group_id', '=', groupId)
      .where('user_id', 'in', batch)
      .execute();
}

/** Ends the memberships of a user whom the directory deleted. */
export async function leaveAll(db: Db, userId: number): Promise<void> {
  await db.deleteFrom('scim_members').where('user_id', '=', userId).execute();
}

const memberships = (db: Db) =>
  db
    .selectFrom('scim_members')
    .innerJoin('scim_groups', 'scim_groups.id', 'scim_members.group_id')
    .innerJoin('scim_users', 'scim_users.user_id', 'scim_members.user_id')
    .select([
      'scim_members.group_id as groupId',
      'scim_groups.name as groupName',
      'scim_members.user_id as userId',
      'scim_users.resource_id as resourceId',
      'scim_users.name_key as nameKey',
    ])
    .where('scim_users.deleted_time', 'is', null);

/** The members of some groups. */
export const membersOf = async (db: Db, groupIds: readonly number[]): Promise<Membership[]> =>
  groupIds.length === 0
    ? []
    : memberships(db)
        .where('scim_members.group_id', 'in', groupIds)
        .orderBy('scim_members.user_id')
        .execute();

/** Numbers of members by group; groups without any are absent. */
export async function countMembers(db: Db, groupIds: readonly number[]): Promise<Map<number, number>> {
  if (groupIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('scim_members')
    .select((eb) => ['group_id', eb.fn.countAll().as('count')])
    .where('group_id', 'in', groupIds)
    .groupBy('group_id')
    .execute();
  return new Map(rows.map(({ group_id: id, count }) => [id, Number(count)]));
}

/** The groups of some users. */
export const groupsOf = async (db: Db, userIds: readonly number[]): Promise<Membership[]> =>
  userIds.length === 0
    ? []
    : memberships(db).where('scim_members.user_id', 'in', userIds).orderBy('scim_members.group_id').execute();

const answersOf = (db: Db): Answers => {
  const withMember = db
    .selectFrom('scim_members')
    .innerJoin('scim_users', 'scim_users.user_id', 'scim_members.user_id')
    .select('scim_members.group_id')
    .where('scim_users.deleted_time', 'is', null);
  const isIn = (of: typeof withMember) => sql<boolean>`scim_groups.id in (${of})`;
  const members = {
    kind: 'among' as const,
    has: (value: string) => isIn(withMember.where('scim_users.resource_id', '=', value)),
    any: isIn(withMember),
  };
  return {
    id: { kind: 'number', column: 'scim_groups.id' },
    displayname: { kind: 'key', column: 'scim_groups.name_key' },
    externalid: { kind: 'text', column: 'scim_groups.external_id' },
    members,
    'members.value': members,
    'meta.created': { kind: 'time', column: 'scim_groups.created_time' },
    'meta.lastmodified': { kind: 'time', column: 'scim_groups.changed_time' },
  };
};

/** The groups that meet a filter. Throws `UnusableFilter`. */
export async function list(
  db: Db,
  filter: ScimFilter | undefined,
  { offset, limit }: Slice,
): Promise<{ rows: ScimGroupRow[]; total: number }> {
  let query = db.selectFrom('scim_groups').selectAll('scim_groups');
  if (filter) query = query.where(whereScim(db, filter, answersOf(db)));
  const { total } = await query
    .clearSelect()
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  if (limit === 0) return { rows: [], total: Number(total) };
  const rows = await query.orderBy('scim_groups.id').offset(offset).limit(limit).execute();
  return { rows, total: Number(total) };
}
