import { AppError } from '@tollgate/contract';
import { seconds } from '../../../lib/clock.ts';
import { type Db, dialectOf, inTransaction, scimGroups, scimUsers } from '../../../store/index.ts';
import { followDirectory, type GroupChange } from '../oauth/index.ts';
import type { DirectoryDeps } from './deps.ts';
import { patchResource, readResource, type Resource } from './patch.ts';
import { checkGroup, type Group, groupShape } from './resources.ts';
import { requirePolicy } from './users.ts';

type Row = scimGroups.ScimGroupRow;

const idOf = (id: string): number => (/^\d{1,15}$/.test(id) ? Number(id) : 0);

/** Throws `scim_not_found`. */
export async function findGroup(db: Db, id: string): Promise<Row> {
  const row = await scimGroups.find(db, idOf(id));
  if (!row) throw new AppError('scim_not_found', { resource: `Group ${id.slice(0, 64)}` });
  return row;
}

/** The accounts of members by the ids of their resources. Throws `scim_value` for one that is no user. */
async function accountsOf(db: Db, resourceIds: readonly string[]): Promise<number[]> {
  const found = await scimUsers.findMany(db, resourceIds);
  if (found.length !== resourceIds.length) throw new AppError('scim_value', { attribute: 'members' });
  return found.map(({ user_id }) => user_id);
}

/** Runs a change of a group; a name that another group has is taken. */
async function saving<T>(deps: DirectoryDeps, work: (db: Db) => Promise<T>): Promise<T> {
  try {
    return await inTransaction(deps.db, work);
  } catch (error) {
    if (!dialectOf(deps.db).isUniqueViolation(error)) throw error;
    throw new AppError('scim_taken', { attribute: 'displayName' }, error);
  }
}

const columnsOf = ({ displayName, externalId = '' }: Group) => ({
  name: displayName,
  name_key: displayName.toLowerCase(),
  external_id: externalId,
});

/**
 * Applies the rules to users whose groups have changed, or will have. What a change takes from them is applied before it
 * is stored: if this process ends in between, the directory tries again, and finds them as members.
 */
async function followAll(
  deps: DirectoryDeps,
  userIds: Iterable<number>,
  change?: GroupChange,
): Promise<void> {
  for (const userId of new Set(userIds)) await followDirectory(deps, userId, change);
}

/** Returns the id. Throws `scim_taken`, `scim_value`. */
export async function createGroup(deps: DirectoryDeps, body: Resource): Promise<string> {
  requirePolicy(deps);
  const sent = checkGroup(readResource(groupShape, body));
  const now = seconds(deps.clock);
  const { id, members } = await saving(deps, async (db) => {
    const made = await scimGroups.create(db, { ...columnsOf(sent), created_time: now, changed_time: now });
    const added = await accountsOf(db, sent.members);
    for (const userId of added) await scimGroups.addMember(db, made, userId);
    const note = { group: sent.displayName, added: added.length };
    await deps.audit.record(db, { note });
    return { id: made, members: added };
  });
  await followAll(deps, members);
  return String(id);
}

/** The attributes of a group that clients may write. */
const writtenGroup = (row: Row, members: readonly scimGroups.Membership[]): Resource => ({
  displayName: row.name,
  externalId: row.external_id,
  members: members.map(({ resourceId }) => ({ value: resourceId })),
});

/** Replaces (`PUT`) or changes (`PATCH`) a group. Throws `scim_not_found`, `scim_taken`, and the errors of the body. */
export async function changeGroup(
  deps: DirectoryDeps,
  id: string,
  method: 'PUT' | 'PATCH',
  body: Resource,
): Promise<void> {
  requirePolicy(deps);
  const planned = await planChange(deps.db, await findGroup(deps.db, id), method, body);
  const { row: known, sent: wished, kept, removed: leaving } = planned;
  if (wished.displayName !== known.name)
    await followAll(
      deps,
      kept.map(({ userId }) => userId),
      { id: known.id, name: wished.displayName },
    );
  await followAll(deps, leaving, { id: known.id, name: undefined });
  const touched = await saving(deps, async (db) => {
    const row = await scimGroups.findLocked(db, idOf(id));
    if (!row) throw new AppError('scim_not_found', { resource: `Group ${id.slice(0, 64)}` });
    const plan = await planChange(db, row, method, body);
    const added = await accountsOf(db, plan.added);
    for (const userId of added) await scimGroups.addMember(db, row.id, userId);
    await scimGroups.removeMembers(db, row.id, plan.removed);
    const columns = columnsOf(plan.sent);
    await scimGroups.update(db, row.id, { ...columns, changed_time: seconds(deps.clock) });
    const renamed = columns.name === row.name ? {} : { before: row.name };
    const note = { group: columns.name, ...renamed, added: added.length, removed: plan.removed.length };
    await deps.audit.record(db, { note });
    // Members whom the request names again are tried again: an earlier request may have ended half-way.
    const named = new Set(JSON.stringify(body).match(/[0-9a-f-]{36}/g));
    const again = plan.kept.filter(({ resourceId }) => columns.name !== row.name || named.has(resourceId));
    return [...added, ...plan.removed, ...again.map(({ userId }) => userId)];
  });
  await followAll(deps, touched);
}

/** What a request makes of a group and its members. Throws the errors of its body. */
async function planChange(db: Db, row: Row, method: 'PUT' | 'PATCH', body: Resource) {
  const before = await scimGroups.membersOf(db, [row.id]);
  const sent = checkGroup(
    method === 'PUT'
      ? readResource(groupShape, body)
      : patchResource(groupShape, writtenGroup(row, before), body),
  );
  const there = new Set(before.map(({ resourceId }) => resourceId));
  const wanted = new Set(sent.members);
  return {
    row,
    sent,
    added: sent.members.filter((resourceId) => !there.has(resourceId)),
    kept: before.filter(({ resourceId }) => wanted.has(resourceId)),
    removed: before.filter(({ resourceId }) => !wanted.has(resourceId)).map(({ userId }) => userId),
  };
}

/** Throws `scim_not_found`. */
export async function deleteGroup(deps: DirectoryDeps, id: string): Promise<void> {
  requirePolicy(deps);
  const { id: groupId, name } = await findGroup(deps.db, id);
  const leaving = await scimGroups.membersOf(deps.db, [groupId]);
  await followAll(
    deps,
    leaving.map(({ userId }) => userId),
    { id: groupId, name: undefined },
  );
  const members = await inTransaction(deps.db, async (db) => {
    await scimGroups.findLocked(db, groupId);
    const before = await scimGroups.membersOf(db, [groupId]);
    await scimGroups.remove(db, groupId);
    await deps.audit.record(db, { note: { group: name, removed: before.length } });
    return before.map(({ userId }) => userId);
  });
  await followAll(deps, members);
}
