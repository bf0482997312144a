import { AppError, type Language } from '@tollgate/contract';
import { parseScimFilter, type ScimFilter } from '../../../lib/scim-filter.ts';
import { type Db, scimGroups, scimUsers, UnusableFilter } from '../../../store/index.ts';
import type { DirectoryDeps } from './deps.ts';
import { changeGroup, createGroup, deleteGroup, findGroup } from './groups.ts';
import type { Resource } from './patch.ts';
import { maxMembers, showGroup, showPerson } from './resources.ts';
import { changeUser, createUser, deleteUser, findUser, requirePolicy } from './users.ts';

export { maxResults, resourceTypes, schemas, serviceProviderConfig } from './schemas.ts';
export type { Resource } from './patch.ts';

/** A request for a list (RFC 7644, 3.4.2). */
export interface ListQuery {
  /** '' for all. */
  filter: string;
  /** From 1. */
  startIndex: number;
  count: number;
  /** False to leave out the members of groups. */
  withMembers: boolean;
}

export interface ListPart {
  total: number;
  resources: Resource[];
}

/**
 * The users and groups that the company's directory sends by SCIM 2.0 (RFC 7643, 7644). Users get what SignInRules says
 * about their groups. `base` is the address of the SCIM calls. Every function throws AppErrors.
 */
export interface Directory {
  user(id: string, base: string): Promise<Resource>;
  users(query: ListQuery, base: string): Promise<ListPart>;
  createUser(body: Resource, language: Language): Promise<string>;
  changeUser(id: string, method: 'PUT' | 'PATCH', body: Resource): Promise<void>;
  deleteUser(id: string): Promise<void>;
  group(id: string, base: string, withMembers: boolean): Promise<Resource>;
  groups(query: ListQuery, base: string): Promise<ListPart>;
  createGroup(body: Resource): Promise<string>;
  changeGroup(id: string, method: 'PUT' | 'PATCH', body: Resource): Promise<void>;
  deleteGroup(id: string): Promise<void>;
}

export const createDirectory = (deps: DirectoryDeps): Directory => ({
  async user(id, base) {
    requirePolicy(deps);
    const row = await findUser(deps.db, id);
    return showPerson(row, await scimGroups.groupsOf(deps.db, [row.user_id]), base);
  },
  users: (query, base) => listUsers(deps, query, base),
  createUser: (body, language) => createUser(deps, body, language),
  changeUser: (id, method, body) => changeUser(deps, id, method, body),
  deleteUser: (id) => deleteUser(deps, id),
  async group(id, base, withMembers) {
    requirePolicy(deps);
    const row = await findGroup(deps.db, id);
    return showGroup(row, withMembers ? await scimGroups.membersOf(deps.db, [row.id]) : [], base);
  },
  groups: (query, base) => listGroups(deps, query, base),
  createGroup: (body) => createGroup(deps, body),
  changeGroup: (id, method, body) => changeGroup(deps, id, method, body),
  deleteGroup: (id) => deleteGroup(deps, id),
});

/** Throws `scim_filter`. */
async function filtering<T>(text: string, work: (filter: ScimFilter | undefined) => Promise<T>): Promise<T> {
  const filter = text === '' ? undefined : parseScimFilter(text);
  const refusal = new AppError('scim_filter', { filter: text.slice(0, 200) });
  if (text !== '' && !filter) throw refusal;
  try {
    return await work(filter);
  } catch (error) {
    throw error instanceof UnusableFilter ? refusal : error;
  }
}

const sliceOf = ({ startIndex, count }: ListQuery) => ({ offset: startIndex - 1, limit: count });

async function listUsers(deps: DirectoryDeps, query: ListQuery, base: string): Promise<ListPart> {
  requirePolicy(deps);
  const { rows, total } = await filtering(query.filter, (filter) =>
    scimUsers.list(deps.db, filter, sliceOf(query)),
  );
  const groups = await scimGroups.groupsOf(
    deps.db,
    rows.map(({ user_id }) => user_id),
  );
  const resources = rows.map((row) =>
    showPerson(
      row,
      groups.filter(({ userId }) => userId === row.user_id),
      base,
    ),
  );
  return { total, resources };
}

/** The first groups that have not too many members together: a page may be shorter than asked for (RFC 7644, 3.4.2.4). */
async function onePage(db: Db, rows: scimGroups.ScimGroupRow[]): Promise<scimGroups.ScimGroupRow[]> {
  const counts = await scimGroups.countMembers(
    db,
    rows.map(({ id }) => id),
  );
  let members = 0;
  return rows.filter(({ id }, index) => {
    members += counts.get(id) ?? 0;
    return index === 0 || members <= maxMembers;
  });
}

async function listGroups(deps: DirectoryDeps, query: ListQuery, base: string): Promise<ListPart> {
  requirePolicy(deps);
  const { rows: found, total } = await filtering(query.filter, (filter) =>
    scimGroups.list(deps.db, filter, sliceOf(query)),
  );
  const rows = query.withMembers ? await onePage(deps.db, found) : found;
  const members = query.withMembers
    ? await scimGroups.membersOf(
        deps.db,
        rows.map(({ id }) => id),
      )
    : [];
  const byGroup = Map.groupBy(members, ({ groupId }) => groupId);
  return { total, resources: rows.map((row) => showGroup(row, byGroup.get(row.id) ?? [], base)) };
}
