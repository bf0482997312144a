import { randomUUID } from 'node:crypto';
import { AppError, type Language, role } from '@tollgate/contract';
import { seconds } from '../../../lib/clock.ts';
import { type Db, identities, scimGroups, scimUsers, users } from '../../../store/index.ts';
import { differences } from '../../site/audit/index.ts';
import { directoryProvider } from '../accounts/index.ts';
import { directoryPolicy, followDirectory } from '../oauth/index.ts';
import type { DirectoryDeps } from './deps.ts';
import { patchResource, readResource, type Resource } from './patch.ts';
import {
  addressOf,
  checkPerson,
  columnsOf,
  type Person,
  shownName,
  userShape,
  writtenPerson,
} from './resources.ts';

type Row = scimUsers.ScimUserRow;

/** The policy of the directory. Throws `scim_off`. */
export function requirePolicy({ settings }: Pick<DirectoryDeps, 'settings'>): { provider: string } {
  const found = directoryPolicy(settings);
  if (!found) throw new AppError('scim_off');
  return found;
}

/** Throws `scim_not_found`. */
export async function findUser(db: Db, id: string): Promise<Row> {
  const row = await scimUsers.find(db, id);
  if (!row) throw new AppError('scim_not_found', { resource: `User ${id.slice(0, 64)}` });
  return row;
}

/** The row or the account that a new user of the directory has already. */
type Known = { row: Row } | { userId: number } | undefined;

/**
 * Finds a new user by name, external id, identity at the company's provider, and address, in this order. Rows that the
 * directory deleted come back. Throws `scim_taken` for a user who is there, and for an address of an administrator:
 * whoever holds the token could otherwise take over such an account.
 */
async function findKnown(deps: DirectoryDeps, provider: string, sent: Person): Promise<Known> {
  const { db } = deps;
  const { name_key, external_id } = columnsOf(sent);
  const named = await scimUsers.findByName(db, name_key);
  if (named) return { row: requireDeleted(named, 'userName') };
  if (external_id !== '') {
    const [same] = await scimUsers.findByExternalId(db, external_id);
    if (same) return { row: requireDeleted(same, 'externalId') };
    const bound = await identities.find(db, { provider, subject: external_id });
    const user = bound && (await users.find(db, bound.user_id));
    if (user && user.role !== role.root) return ofAccount(db, user.id);
  }
  const user = await users.findByEmail(db, addressOf(sent));
  if (!user) return undefined;
  if (user.role !== role.common) throw new AppError('scim_taken', { attribute: 'emails' });
  return ofAccount(db, user.id);
}

async function ofAccount(db: Db, userId: number): Promise<Known> {
  const row = await scimUsers.ofUser(db, userId);
  return row ? { row: requireDeleted(row, 'emails') } : { userId };
}

function requireDeleted(row: Row, attribute: string): Row {
  if (row.deleted_time === null) throw new AppError('scim_taken', { attribute });
  return row;
}

/**
 * Takes a user from the directory: a new account, or the one that the user has already. Returns the id of the resource.
 * Throws `scim_taken`, `scim_value`, `user_deleted`.
 */
export async function createUser(deps: DirectoryDeps, body: Resource, language: Language): Promise<string> {
  const { provider } = requirePolicy(deps);
  const sent = checkPerson(readResource(userShape, body));
  const known = await findKnown(deps, provider, sent);
  const now = seconds(deps.clock);
  const resourceId = known && 'row' in known ? known.row.resource_id : randomUUID();
  const columns = { ...columnsOf(sent), active: sent.active === false ? 0 : 1, changed_time: now };
  const entry = { subject: resourceId, displayName: shownName(sent), email: addressOf(sent) };
  const addTo = async (db: Db, userId: number): Promise<void> => {
    const row = {
      ...columns,
      resource_id: resourceId,
      user_id: userId,
      deleted_time: null,
      created_time: now,
    };
    if (!(await scimUsers.add(db, row))) throw new AppError('scim_taken', { attribute: 'userName' });
  };
  let userId: number;
  if (known === undefined) {
    userId = await deps.accounts.registerForeign(
      {
        provider: directoryProvider,
        subject: resourceId,
        providerName: 'SCIM',
        username: sent.userName.split('@', 1)[0] ?? '',
        displayName: entry.displayName,
        email: entry.email,
      },
      { affCode: '', language, isAdmitted: true, also: addTo },
    );
  } else if ('row' in known) {
    userId = known.row.user_id;
    // An administrator deleted the account; the directory does not bring it back.
    if (!(await users.find(deps.db, userId))) throw new AppError('user_deleted');
    await saving(() =>
      deps.accounts.enterFromDirectory(userId, entry, (db) =>
        scimUsers.update(db, resourceId, { ...columns, deleted_time: null }),
      ),
    );
  } else {
    userId = known.userId;
    await saving(() => deps.accounts.enterFromDirectory(userId, entry, (db) => addTo(db, known.userId)));
  }
  await followDirectory(deps, userId);
  return resourceId;
}

/** A name that another user got meanwhile is taken: it is the only unique value here. */
async function saving(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const isTaken = error instanceof AppError && error.code === 'username_taken';
    throw isTaken ? new AppError('scim_taken', { attribute: 'userName' }, error) : error;
  }
}

/** Replaces (`PUT`) or changes (`PATCH`) a user. Throws `scim_not_found`, `scim_taken`, and the errors of the body. */
export async function changeUser(
  deps: DirectoryDeps,
  id: string,
  method: 'PUT' | 'PATCH',
  body: Resource,
): Promise<void> {
  requirePolicy(deps);
  const first = await findUser(deps.db, id);
  const { user_id: userId } = first;
  const before = checkPerson(JSON.parse(first.profile) as Resource);
  let sent = changed(first, method, body);
  const other = await scimUsers.findByName(deps.db, columnsOf(sent).name_key);
  if (other && other.resource_id !== id) throw new AppError('scim_taken', { attribute: 'userName' });
  const entry = {
    displayName: shownName(sent) === shownName(before) ? '' : shownName(sent),
    email: addressOf(sent) === addressOf(before) ? '' : addressOf(sent),
  };
  await saving(() =>
    deps.accounts.enterFromDirectory(userId, entry, async (db) => {
      // The account is locked: a change at the same time is applied before or after this one.
      const row = await findUser(db, id);
      sent = changed(row, method, body);
      const next = { ...columnsOf(sent), active: (sent.active ?? row.active === 1) ? 1 : 0 };
      await scimUsers.update(db, id, { ...next, changed_time: seconds(deps.clock) });
      const target = { type: 'user', id: userId } as const;
      await deps.audit.record(db, { kind: 'user.update', target, changes: differences(row, next) });
    }),
  );
  await followDirectory(deps, userId);
}

/** The user after a change; without `active` a replacement keeps it, so that it enables nobody by chance. */
function changed(row: Row, method: 'PUT' | 'PATCH', body: Resource): Person {
  if (method === 'PUT') return checkPerson(readResource(userShape, body));
  return checkPerson(patchResource(userShape, writtenPerson(row), body));
}

/**
 * Removes a user from the directory: the account ends with its sessions and keys, and keeps its money and its logs. A
 * user with the same name, external id or address gets it again. Throws `scim_not_found`.
 */
export async function deleteUser(deps: DirectoryDeps, id: string): Promise<void> {
  const { provider } = requirePolicy(deps);
  const { user_id: userId } = await findUser(deps.db, id);
  // First: if this process ends in between, the directory tries again, and finds the user.
  await deps.accounts.endLeaver(userId);
  await deps.accounts.enterFromDirectory(userId, { displayName: '', email: '' }, async (db) => {
    await scimUsers.update(db, id, { deleted_time: seconds(deps.clock), changed_time: seconds(deps.clock) });
    await scimGroups.leaveAll(db, userId);
    // The next user with this name has another subject there.
    await identities.remove(db, userId, provider);
  });
  await followDirectory(deps, userId);
}
