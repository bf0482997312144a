import { teamRole } from '@tollgate/contract';
import { type Selectable, sql } from 'kysely';
import { dialectOf } from '../db.ts';
import type { Db } from '../dialects/types.ts';
import type { BudgetTable } from '../schema/money.ts';

export type BudgetRow = Selectable<BudgetTable>;

/** Conditions of a budget. */
export type BudgetRule = Pick<
  BudgetRow,
  | 'id'
  | 'token_id'
  | 'user_id'
  | 'team_id'
  | 'group'
  | 'model'
  | 'instead'
  | 'for_each'
  | 'period'
  | 'window_end'
  | 'unit'
>;

type KeyColumn = 'key_hash' | 'key_hint' | 'key_models';
type RunColumn = 'run' | 'parent' | 'max_calls' | KeyColumn;
type ModeColumn = 'shares' | 'instead' | 'for_each' | 'parts' | 'unit';
type NewBudgetRow = Omit<BudgetRow, 'id' | 'used' | 'held' | 'calls' | RunColumn | ModeColumn> &
  Partial<Pick<BudgetRow, RunColumn | ModeColumn>>;

export const create = (db: Db, budget: NewBudgetRow): Promise<number> => {
  const row = {
    run: null,
    parent: 0,
    max_calls: 0,
    shares: '',
    instead: '',
    for_each: '',
    key_hash: null,
    key_hint: null,
    key_models: null,
    parts: null,
    unit: 'quota',
    ...budget,
    used: 0,
    held: 0,
    calls: 0,
  };
  return dialectOf(db).insertReturningId(db.insertInto('budgets').values(row));
};

export const find = (db: Db, id: number): Promise<BudgetRow | undefined> =>
  db.selectFrom('budgets').selectAll().where('id', '=', id).executeTakeFirst();

/** Budgets by their ids, in that order. */
export const findAll = (db: Db, ids: readonly number[]): Promise<BudgetRow[]> =>
  db.selectFrom('budgets').selectAll().where('id', 'in', ids).orderBy('id').execute();

/** Locks a budget until the transaction ends, so that no call is counted on it meanwhile. */
export const lock = (db: Db, id: number): Promise<BudgetRow | undefined> =>
  dialectOf(db)
    .lockRows(db.selectFrom('budgets').selectAll().where('id', '=', id))
    .executeTakeFirst();

/** The rules of all enabled budgets that count calls, or of all budgets; runs have none. */
export function rules(db: Db, onlyEnabled = true): Promise<BudgetRule[]> {
  const query = db
    .selectFrom('budgets')
    .select([
      'id',
      'token_id',
      'user_id',
      'team_id',
      'group',
      'model',
      'instead',
      'for_each',
      'period',
      'window_end',
      'unit',
    ])
    .where('run', 'is', null)
    .orderBy('id');
  return (onlyEnabled ? query.where('enabled', '=', 1).where('for_each', '=', '') : query).execute();
}

/** Conditions of a list; absent ones match any value. */
export type BudgetFilter = Partial<
  Pick<BudgetRow, 'token_id' | 'user_id' | 'team_id' | 'group' | 'model' | 'for_each'>
>;

/** Selection of a list among the budgets with exactly the conditions of a filter. */
interface Listed {
  limit: number;
  /** Only those of this user and the organisations that this user manages, and of the keys of both. */
  ownedBy?: number | undefined;
  /**
   * Only budgets with at least this share used or held in a window that contains `now`, in percent; of sliding ones as
   * of their last hold.
   */
  near?: { percent: number; now: number } | undefined;
}

/** Budgets without the runs, oldest first. */
export function list(db: Db, filter: BudgetFilter, { limit, ownedBy, near }: Listed): Promise<BudgetRow[]> {
  let query = db.selectFrom('budgets').selectAll().where('run', 'is', null);
  for (const [column, value] of Object.entries(filter))
    query = query.where(column as keyof BudgetFilter, '=', value);
  if (ownedBy !== undefined) {
    const managed = db
      .selectFrom('team_members')
      .select('team_members.team_id')
      .where('team_members.user_id', '=', ownedBy)
      .where('team_members.role', '>=', teamRole.manager)
      .where('team_members.left_time', 'is', null);
    query = query.where((e) => {
      const keys = e
        .selectFrom('tokens')
        .select('tokens.id')
        .where((key) => key.or([key('tokens.user_id', '=', ownedBy), key('tokens.team_id', 'in', managed)]));
      return e.or([
        e('user_id', '=', ownedBy),
        e('budgets.team_id', 'in', managed),
        e('token_id', 'in', keys),
      ]);
    });
  }
  if (near)
    query = query
      .where('enabled', '=', 1)
      .where('for_each', '=', '')
      .where((e) => e.or([e('window_end', '>', near.now), e('parts', 'is not', null)]))
      .where(sql<boolean>`(used + held) * 100 >= amount * ${near.percent}`);
  return query.orderBy('id').limit(limit).execute();
}

/** Owners of calls that a budget may count. */
export interface BudgetedKey {
  tokenId: number;
  userId: number;
  /** The organisation that pays; 0 for none. */
  teamId: number;
  /** The groups that its calls may be billed in. */
  groups: readonly string[];
}

/**
 * The enabled budgets that are the key's own and limit it: they apply to all its calls, or those to a model, and name it, its owner or its
 * organisation. Budgets of a whole site or group are excluded.
 */
export function ofKey(db: Db, { tokenId, userId, teamId, groups }: BudgetedKey): Promise<BudgetRow[]> {
  return db
    .selectFrom('budgets')
    .selectAll()
    .where('run', 'is', null)
    .where('enabled', '=', 1)
    .where('mode', '<>', 'soft')
    .where('for_each', '=', '')
    .where('token_id', 'in', [0, tokenId])
    .where('user_id', 'in', [0, userId])
    .where('team_id', 'in', [0, teamId])
    .where('group', 'in', ['', ...groups])
    .where((eb) => eb.or([eb('token_id', '<>', 0), eb('user_id', '<>', 0), eb('team_id', '<>', 0)]))
    .orderBy('id')
    .execute();
}

/** A person who calls for themselves, or for an organisation. */
interface NewMember {
  userId: number;
  /** 0 for a new user of the site. */
  teamId: number;
}

/**
 * Gives a new user or member their budgets, and returns how many. A member who returns keeps those from before. Part of the
 * transaction that adds the person.
 */
export async function giveDefaults(db: Db, { userId, teamId }: NewMember, now: number): Promise<number> {
  const defaults = await db
    .selectFrom('budgets')
    .selectAll()
    .where('for_each', '=', teamId === 0 ? 'user' : 'member')
    .where('team_id', 'in', [0, teamId])
    .where('enabled', '=', 1)
    .orderBy('id')
    .execute();
  if (defaults.length === 0) return 0;
  const kept = new Set(
    (await list(db, { user_id: userId, team_id: teamId }, { limit: 1_000 })).map(({ name }) => name),
  );
  const missing = defaults.filter(({ name }) => !kept.has(name));
  for (const { id: _, used: _used, held: _held, calls: _calls, ...terms } of missing) {
    // The first call begins a period of the calendar.
    const window = terms.period === 'term' ? {} : { window_start: 0, window_end: 0 };
    const setBy = terms.set_by === 'site' ? 'default' : terms.set_by;
    await create(db, {
      ...terms,
      ...window,
      parts: terms.parts === null ? null : '',
      for_each: '',
      set_by: setBy,
      user_id: userId,
      team_id: teamId,
      created_time: now,
    });
  }
  return missing.length;
}

/** Columns that may be changed. */
export type BudgetChanges = Partial<
  Pick<BudgetRow, 'name' | 'amount' | 'mode' | 'shares' | 'instead' | 'max_calls' | 'enabled'>
>;

export async function update(db: Db, id: number, changes: BudgetChanges): Promise<void> {
  if (Object.keys(changes).length === 0) return;
  await db.updateTable('budgets').set(changes).where('id', '=', id).execute();
}

export async function remove(db: Db, id: number): Promise<void> {
  await db.deleteFrom('budgets').where('id', '=', id).execute();
  await db.deleteFrom('budget_warnings').where('budget_id', '=', id).execute();
}
