import type { Insertable, Selectable } from 'kysely';
import { dialectOf } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import { containing } from '../../like.ts';
import type { TeamTable } from '../../schema/people.ts';
import { countOf, idOf, type Slice } from '../shared.ts';

export type TeamRow = Selectable<TeamTable>;
export type NewTeam = Omit<Insertable<TeamTable>, 'id' | 'deleted_at'>;

export const create = (db: Db, team: NewTeam): Promise<number> =>
  dialectOf(db).insertReturningId(db.insertInto('teams').values({ ...team, deleted_at: null }));

const alive = (db: Db) => db.selectFrom('teams').selectAll().where('deleted_at', 'is', null);

/** A team that was not deleted. */
export const find = (db: Db, id: number): Promise<TeamRow | undefined> =>
  alive(db).where('id', '=', id).executeTakeFirst();

/** The team that owns the wallet of an account, deleted or not. */
export const findByAccount = (db: Db, accountId: number): Promise<TeamRow | undefined> =>
  db.selectFrom('teams').selectAll().where('account_id', '=', accountId).executeTakeFirst();

/** The same, locked until the transaction ends. Take the locks of accounts, tokens and members first. */
export const findLocked = (db: Db, id: number): Promise<TeamRow | undefined> =>
  dialectOf(db)
    .lockRows(alive(db).where('id', '=', id))
    .executeTakeFirst();

/** Teams that were not deleted, by their ids. */
export const findMany = async (db: Db, ids: readonly number[]): Promise<TeamRow[]> =>
  ids.length === 0 ? [] : alive(db).where('id', 'in', ids).orderBy('id').execute();

/** Number of teams that a user owns. */
export async function countOwned(db: Db, ownerId: number): Promise<number> {
  const { total } = await db
    .selectFrom('teams')
    .select((e) => e.fn.countAll<number>().as('total'))
    .where('owner_id', '=', ownerId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(total);
}

/** Changes a team that was not deleted; false if there is none. */
export async function update(
  db: Db,
  id: number,
  change: Partial<Pick<TeamRow, 'name' | 'group' | 'status' | 'owner_id' | 'deleted_at'>>,
): Promise<boolean> {
  const result = await db
    .updateTable('teams')
    .set(change)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/** All teams with the keyword in the name, or as id; newest first, with their number. */
export async function page(
  db: Db,
  keyword: string,
  { offset, limit }: Slice,
): Promise<{ rows: TeamRow[]; total: number }> {
  const { like } = dialectOf(db);
  const id = idOf(keyword);
  const matching = alive(db).$if(keyword !== '', (query) =>
    query.where((e) =>
      e.or([like(e.ref('name'), containing(keyword)), ...(id === undefined ? [] : [e('id', '=', id)])]),
    ),
  );
  const rows = await matching.orderBy('id', 'desc').limit(limit).offset(offset).execute();
  const { total } = await matching
    .clearSelect()
    .select((e) => e.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { rows, total: Number(total) };
}
