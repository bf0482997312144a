import { AppError, type ManagedUserData, type Page, type UserData } from '@tollgate/contract';
import { users } from '../../../store/index.ts';
import type { AccountsDeps, Actor } from './deps.ts';
import { readBelongings, showUser, showUserToAdmin } from './view.ts';

/** Filters and page of a list of users. */
export interface UserQuery {
  /** Counts from 1. */
  page: number;
  pageSize: number;
  /** An id, or part of a name or address; '' for all. */
  keyword: string;
  /** '' for all. */
  group: string;
  /** Newest first by default. */
  sort?: users.UserSearch['sort'];
}

/** A user for the user themselves. Throws `user_not_found`. */
export async function readSelf(deps: Pick<AccountsDeps, 'db'>, id: number): Promise<UserData> {
  const row = await users.view(deps.db, id);
  if (!row) throw new AppError('user_not_found');
  return showUser(row, await readBelongings(deps.db, [id]));
}

/** A user for an administrator; strictly lower roles only, unless the administrator is root. */
export async function readUser(deps: AccountsDeps, actor: Actor, id: number): Promise<ManagedUserData> {
  const row = await users.view(deps.db, id);
  if (!row) throw new AppError('user_not_found');
  if (row.id !== actor.id) deps.guard.authorize(actor, 'read', row);
  return showUserToAdmin(row, await readBelongings(deps.db, [id]), deps.guard.mayRead(actor, row));
}

/**
 * Users in the requested order, including deleted ones. Users without a lower rank have only the columns of lists.
 */
export async function findUsers(
  { db, guard }: Pick<AccountsDeps, 'db' | 'guard'>,
  actor: Actor,
  query: UserQuery,
): Promise<Page<ManagedUserData>> {
  const page = Math.max(1, query.page);
  const { keyword, group, pageSize, sort } = query;
  const slice = { offset: (page - 1) * pageSize, limit: pageSize };
  const { rows, total } = await users.search(db, { keyword: keyword.trim(), group, sort, ...slice });
  const known = await readBelongings(
    db,
    rows.map(({ id }) => id),
  );
  const items = rows.map((row) => showUserToAdmin(row, known, guard.mayRead(actor, row)));
  return { items, total, page, page_size: pageSize };
}
