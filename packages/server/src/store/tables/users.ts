import { sql, type Insertable, type Selectable, type SelectQueryBuilder } from 'kysely';
import { dialectOf } from '../db.ts';
import type { Db } from '../dialects/types.ts';
import { containing } from '../like.ts';
import type { Database } from '../schema/index.ts';
import type { UserTable } from '../schema/people.ts';
import { countOf, directionOf, idOf, type Slice } from './shared.ts';

export type UserRow = Selectable<UserTable>;
/** A user with the figures of the payer, and without the two secret columns. */
export type UserView = Omit<UserRow, 'password' | 'access_token_hash'> & {
  balance: number;
  held: number;
  /** 1 or 0. */
  has_password: number;
};

/** Columns that change through the ledger, or never. */
type Untouchable =
  | 'id'
  | 'account_id'
  | 'used_quota'
  | 'request_count'
  | 'former_requests'
  | 'aff_quota'
  | 'aff_history'
  | 'created_time';
export type UserChange = Partial<Omit<UserRow, Untouchable>>;
export type NewUser = Pick<Insertable<UserTable>, 'account_id' | 'username' | 'created_time'> & UserChange;

const blank = {
  password: '',
  display_name: '',
  role: 1,
  status: 1,
  email: '',
  access_token_hash: null,
  used_quota: 0,
  request_count: 0,
  former_requests: 0,
  group: 'default',
  aff_code: null,
  aff_count: 0,
  aff_quota: 0,
  aff_history: 0,
  inviter_id: 0,
  remark: null,
  setting: '',
  deleted_at: null,
} satisfies Omit<UserRow, 'id' | 'account_id' | 'username' | 'created_time'>;

/** Sort keys of the list of users in the API, with their columns. */
const sortColumns = {
  id: 'users.id',
  username: 'users.username',
  role: 'users.role',
  status: 'users.status',
  group: 'users.group',
  quota: 'accounts.balance',
  used_quota: 'users.used_quota',
  request_count: sql`users.request_count + users.former_requests`,
  aff_count: 'users.aff_count',
  created_time: 'users.created_time',
} as const;
export interface UserSort {
  by: keyof typeof sortColumns;
  descending: boolean;
}

export interface UserSearch extends Slice {
  /** '' for all. */
  keyword: string;
  /** '' for all. */
  group: string;
  /** Newest first if absent. */
  sort?: UserSort | undefined;
}

const viewColumns = [
  'users.id',
  'users.account_id',
  'users.username',
  'users.display_name',
  'users.role',
  'users.status',
  'users.email',
  'users.used_quota',
  'users.request_count',
  'users.former_requests',
  'users.group',
  'users.aff_code',
  'users.aff_count',
  'users.aff_quota',
  'users.aff_history',
  'users.inviter_id',
  'users.remark',
  'users.setting',
  'users.created_time',
  'users.deleted_at',
  'accounts.balance',
  'accounts.held',
] as const;

/** Inserts a user; a username, invitation code or access token that exists already is a unique violation. */
export const create = (db: Db, user: NewUser): Promise<number> =>
  dialectOf(db).insertReturningId(db.insertInto('users').values({ ...blank, ...user }));

const alive = (db: Db): SelectQueryBuilder<Database, 'users', UserRow> =>
  db.selectFrom('users').selectAll().where('deleted_at', 'is', null);

/** The user whose own wallet an account is. */
export const findByAccount = (db: Db, accountId: number): Promise<UserRow | undefined> =>
  alive(db).where('account_id', '=', accountId).executeTakeFirst();

/** A user who was not deleted. */
export const find = (db: Db, id: number): Promise<UserRow | undefined> =>
  alive(db).where('id', '=', id).executeTakeFirst();

/** The user in the form of lists, deleted or not. */
export const view = (db: Db, id: number): Promise<UserView | undefined> =>
  views(db).where('users.id', '=', id).executeTakeFirst();

/** Locks an existing user until the transaction ends. */
export const findLocked = (db: Db, id: number): Promise<UserRow | undefined> =>
  dialectOf(db)
    .lockRows(alive(db).where('id', '=', id))
    .executeTakeFirst();

/** True if any user has an imported password. Stops at the first. */
export async function haveBcrypt(db: Db): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('password', 'like', '$2%')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * True if another user than `exceptId` has a username, in upper or lower case, including deleted users: names in logs
 * must not change their owner. SQLite compares letters beyond ASCII case-sensitively.
 */
export async function isUsernameTaken(db: Db, username: string, exceptId = 0): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where(sql<boolean>`lower(username) = lower(${username})`)
    .where('id', '!=', exceptId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The user who signs in with this name or e-mail address; the name has priority. */
export async function findByLogin(db: Db, login: string): Promise<UserRow | undefined> {
  const byName = await alive(db).where('username', '=', login).executeTakeFirst();
  if (byName || !login.includes('@')) return byName;
  return findByEmail(db, login);
}

/**
 * The first user with this e-mail address, as written or in lower case; undefined for ''. Always one query, because
 * the time must not reveal whether one exists.
 */
export async function findByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  if (email === '') return undefined;
  const found = await alive(db)
    .where('email', 'in', [email, email.trim().toLowerCase()])
    .orderBy('id')
    .execute();
  return found.find((user) => user.email === email) ?? found[0];
}

export const findByAccessToken = (db: Db, hash: string): Promise<UserRow | undefined> =>
  findBy(db, 'access_token_hash', hash);

export const findByAffCode = (db: Db, code: string): Promise<UserRow | undefined> =>
  findBy(db, 'aff_code', code);

/** '' means "none" in these columns and matches no user. */
async function findBy(
  db: Db,
  column: 'access_token_hash' | 'aff_code',
  value: string,
): Promise<UserRow | undefined> {
  if (value === '') return undefined;
  return alive(db).where(column, '=', value).orderBy('id').executeTakeFirst();
}

/** All users, deleted ones too, newest first (docs/compatibility.md#envelope-and-routes). */
export const list = (db: Db, slice: Slice): Promise<{ rows: UserView[]; total: number }> =>
  search(db, { keyword: '', group: '', ...slice });

/** Users with the keyword as id or as a part of name, e-mail address or display name; '' for all. */
export async function search(
  db: Db,
  { keyword, group, offset, limit, sort = { by: 'id', descending: true } }: UserSearch,
): Promise<{ rows: UserView[]; total: number }> {
  const { like } = dialectOf(db);
  let matching = views(db);
  if (group !== '') matching = matching.where('users.group', '=', group);
  if (keyword !== '') {
    const pattern = containing(keyword);
    const id = idOf(keyword);
    matching = matching.where((eb) =>
      eb.or([
        ...(id === undefined ? [] : [eb('users.id', '=', id)]),
        like(eb.ref('users.username'), pattern),
        like(eb.ref('users.email'), pattern),
        like(eb.ref('users.display_name'), pattern),
      ]),
    );
  }
  const rows = await matching
    .orderBy(sortColumns[sort.by], directionOf(sort))
    .orderBy('users.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  const { total } = await matching
    .clearSelect()
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { rows, total };
}

const views = (db: Db): SelectQueryBuilder<Database, 'users' | 'accounts', UserView> =>
  db
    .selectFrom('users')
    .innerJoin('accounts', 'accounts.id', 'users.account_id')
    .select(viewColumns)
    .select(sql<number>`case when users.password = '' then 0 else 1 end`.as('has_password'));

/** Changes columns of a user who was not deleted; false if there is none. An existing name is a unique violation. */
export async function update(db: Db, id: number, change: UserChange): Promise<boolean> {
  const result = await db
    .updateTable('users')
    .set(change)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/** Counts one more invited user for the inviter; the ledger writes the reward. */
export async function addInvited(db: Db, inviterId: number): Promise<void> {
  await db
    .updateTable('users')
    .set((eb) => ({ aff_count: eb('aff_count', '+', 1) }))
    .where('id', '=', inviterId)
    .execute();
}

/** Marks a user as deleted; false if already deleted or not found. */
export const softDelete = (db: Db, id: number, now: number): Promise<boolean> =>
  update(db, id, { deleted_at: now });

/** Deletes the row permanently. Account, ledger and logs remain. */
export async function remove(db: Db, id: number): Promise<boolean> {
  return countOf(await db.deleteFrom('users').where('id', '=', id).executeTakeFirstOrThrow()) > 0;
}

/** The highest id so far; 0 without users. */
export async function lastId(db: Db): Promise<number> {
  const { last } = await db
    .selectFrom('users')
    .select((eb) => eb.fn.max('id').as('last'))
    .executeTakeFirstOrThrow();
  return Number(last ?? 0);
}

/** True if any user has at least this role: an installation with a root was set up. */
export async function hasRole(db: Db, role: number): Promise<boolean> {
  const row = await alive(db).where('role', '>=', role).limit(1).executeTakeFirst();
  return row !== undefined;
}

/** The users with at least this role, for notices to operators. */
export const withRole = (db: Db, role: number): Promise<UserRow[]> =>
  alive(db).where('role', '>=', role).orderBy('id').execute();

/** The user with exactly this name, who was not deleted. */
export const findByName = (db: Db, username: string): Promise<UserRow | undefined> =>
  db
    .selectFrom('users')
    .selectAll()
    .where('username', '=', username)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();

/** Names by id, including deleted users; absent for erased ones. */
export async function findNames(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('users').select(['id', 'username']).where('id', 'in', ids).execute();
  return new Map(rows.map(({ id, username }) => [id, username]));
}

/** Roles by id, of users who were not deleted. */
export async function findRoles(db: Db, ids: readonly number[]): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map();
  const found = db.selectFrom('users').select(['id', 'role']).where('id', 'in', ids);
  const rows = await found.where('deleted_at', 'is', null).execute();
  return new Map(rows.map(({ id, role }) => [id, role]));
}
