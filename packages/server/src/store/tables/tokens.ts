import {
  sql,
  type ExpressionBuilder,
  type Insertable,
  type Selectable,
  type SelectQueryBuilder,
} from 'kysely';
import { dialectOf } from '../db.ts';
import type { Db } from '../dialects/types.ts';
import { containing, startingWith } from '../like.ts';
import type { Database } from '../schema/index.ts';
import type { TokenTable } from '../schema/people.ts';
import { countOf, directionOf, type Slice } from './shared.ts';

export type TokenRow = Selectable<TokenTable>;
/** Columns that only the ledger changes. */
type LedgerColumns = 'remain_quota' | 'held' | 'used_quota';
/** Without a rule for channels unless it has one. */
export type NewToken = Omit<Insertable<TokenTable>, 'id' | LedgerColumns | 'deleted_at' | 'accessed_time'>;
export type TokenChange = Partial<
  Omit<TokenRow, 'id' | 'user_id' | 'team_id' | LedgerColumns | 'created_time' | 'deleted_at'>
>;

/** Inserts a token without any allowance (the ledger grants it) and returns its id. */
export const create = (db: Db, token: NewToken): Promise<number> =>
  dialectOf(db).insertReturningId(
    db.insertInto('tokens').values({
      ...token,
      accessed_time: token.created_time,
      remain_quota: 0,
      held: 0,
      used_quota: 0,
      deleted_at: null,
    }),
  );

const alive = (db: Db): SelectQueryBuilder<Database, 'tokens', TokenRow> =>
  db.selectFrom('tokens').selectAll().where('deleted_at', 'is', null);

/** A token that was not deleted. */
export const find = (db: Db, id: number): Promise<TokenRow | undefined> =>
  alive(db).where('id', '=', id).executeTakeFirst();

/** Owner of the tokens: a person, a team, or one member or all members of a team. */
export interface TokenScope {
  /** 0 for tokens that their owner pays for. */
  teamId: number;
  /** Absent for all members of the team. */
  userId?: number | undefined;
}

const inScope =
  ({ teamId, userId }: TokenScope) =>
  (eb: ExpressionBuilder<Database, 'tokens'>) =>
    eb.and([
      eb('team_id', '=', teamId),
      // Redundant, but lets the database use the index over the tokens of teams.
      ...(teamId === 0 ? [] : [eb('team_id', '<>', sql.lit(0))]),
      ...(userId === undefined ? [] : [eb('user_id', '=', userId)]),
    ]);

/** A token in the scope; tokens outside of it are not found. */
export const findOwn = (db: Db, id: number, scope: TokenScope): Promise<TokenRow | undefined> =>
  alive(db).where('id', '=', id).where(inScope(scope)).executeTakeFirst();

/** The token with a key of this SHA-256. */
export const findByHash = (db: Db, keyHash: string): Promise<TokenRow | undefined> =>
  alive(db).where('key_hash', '=', keyHash).executeTakeFirst();

/** The sort column of a list of tokens. */
export interface TokenSort {
  by: keyof TokenRow;
  descending: boolean;
}

const newestFirst: TokenSort = { by: 'id', descending: true };

/** The tokens in a scope, newest first unless ordered by a column. */
export const list = (
  db: Db,
  scope: TokenScope,
  { offset, limit, sort = newestFirst }: Slice & { sort?: TokenSort | undefined },
): Promise<TokenRow[]> =>
  alive(db)
    .where(inScope(scope))
    .orderBy(sort.by, directionOf(sort))
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();

/** Number of tokens of a user, including those of teams. */
export async function count(db: Db, userId: number): Promise<number> {
  const { total } = await db
    .selectFrom('tokens')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return total;
}

export interface TokenSearch {
  /** Newest first if absent. */
  sort?: TokenSort | undefined;
  /** Part of the name; '' for any. */
  name: string;
  /** SHA-256 of a whole key. */
  keyHashes?: readonly string[];
  /** The first characters of a key, in the format of the hint. */
  keyStart?: string;
  limit: number;
}

/** The tokens in a scope with the name and, if given, the key; newest first. */
export function search(
  db: Db,
  scope: TokenScope,
  { name, keyHashes, keyStart, limit, sort = newestFirst }: TokenSearch,
): Promise<TokenRow[]> {
  const { like } = dialectOf(db);
  let matching = alive(db).where(inScope(scope));
  if (name !== '') matching = matching.where((eb) => like(eb.ref('name'), containing(name)));
  if (keyHashes !== undefined || keyStart !== undefined) {
    matching = matching.where((eb) =>
      eb.or([
        ...(keyHashes === undefined ? [] : [eb('key_hash', 'in', keyHashes)]),
        ...(keyStart === undefined ? [] : [like(eb.ref('key_hint'), startingWith(keyStart))]),
      ]),
    );
  }
  return matching.orderBy(sort.by, directionOf(sort)).orderBy('id', 'desc').limit(limit).execute();
}

/** Changes a token; false if the scope has none with this id. */
export async function update(db: Db, id: number, scope: TokenScope, change: TokenChange): Promise<boolean> {
  const result = await db
    .updateTable('tokens')
    .set(change)
    .where('id', '=', id)
    .where(inScope(scope))
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/** Moves a token from one state to another, for expiry and exhaustion; false if it was in neither or moved already. */
export async function moveStatus(db: Db, id: number, from: number, to: number): Promise<boolean> {
  const result = await db
    .updateTable('tokens')
    .set({ status: to })
    .where('id', '=', id)
    .where('status', '=', from)
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/** Marks a token as deleted; false if the scope has none with this id. */
export async function softDelete(db: Db, id: number, scope: TokenScope, now: number): Promise<boolean> {
  const result = await db
    .updateTable('tokens')
    .set({ deleted_at: now })
    .where('id', '=', id)
    .where(inScope(scope))
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/** Ends all tokens of a user; returns their ids, for removal from caches. */
export async function softDeleteAll(db: Db, userId: number, now: number): Promise<number[]> {
  const rows = await alive(db).clearSelect().select('id').where('user_id', '=', userId).execute();
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return [];
  await db
    .updateTable('tokens')
    .set({ deleted_at: now })
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .execute();
  return ids;
}

/** Disables the tokens of a scope, for example when a member leaves a team. */
export async function disableAll(db: Db, scope: TokenScope): Promise<void> {
  await db
    .updateTable('tokens')
    .set({ status: 2 })
    .where(inScope(scope))
    .where('status', '=', 1)
    .where('deleted_at', 'is', null)
    .execute();
}

/** Ends all tokens of a team. */
export async function softDeleteOfTeam(db: Db, teamId: number, now: number): Promise<void> {
  await db
    .updateTable('tokens')
    .set({ deleted_at: now })
    .where(inScope({ teamId }))
    .where('deleted_at', 'is', null)
    .execute();
}
