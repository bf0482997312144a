import type { ExpressionBuilder, Selectable } from 'kysely';
import { dialectOf } from '../db.ts';
import type { Db } from '../dialects/types.ts';
import type { IdempotentCallTable } from '../schema/calls.ts';
import type { Database } from '../schema/index.ts';
import { batches, countOf, firstBeyond, type KeepBounds } from './shared.ts';

export type IdempotentCallRow = Selectable<IdempotentCallTable>;
/** A call at its start. */
export type NewIdempotentCall = Omit<IdempotentCallRow, 'id' | 'status' | 'size' | 'answer'>;

const begun = { status: 0, size: 0, answer: '' };

/** Stores the start of a call; false if its name is taken. */
export const begin = (db: Db, call: NewIdempotentCall): Promise<boolean> =>
  dialectOf(db).insertIfNew(db.insertInto('idempotent_calls').values({ ...call, ...begun }), ['name']);

/** Another process has begun a call with the same key meanwhile: the rows must be read again. */
export class KeyTaken extends Error {
  constructor(name: string) {
    super(`another call has taken the key ${name}`);
    this.name = 'KeyTaken';
  }
}

/**
 * Locks rows in the order of their names until the transaction ends, and returns their calls. A transaction that
 * settles calls takes these locks first.
 */
export async function lock(
  db: Db,
  names: ReadonlySet<string>,
): Promise<Pick<IdempotentCallRow, 'name' | 'request_id'>[]> {
  const found = [];
  for (const part of batches([...names].toSorted())) {
    const rows = db.selectFrom('idempotent_calls').select(['name', 'request_id']).where('name', 'in', part);
    found.push(...(await dialectOf(db).lockRows(rows.orderBy('name')).execute()));
  }
  return found;
}

/** Writes rows of calls again after a failover to a standby that did not have them. Throws KeyTaken. */
export async function restore(db: Db, calls: Iterable<NewIdempotentCall>): Promise<void> {
  for (const call of calls) if (!(await begin(db, call))) throw new KeyTaken(call.name);
}

export const find = (db: Db, name: string): Promise<IdempotentCallRow | undefined> =>
  db.selectFrom('idempotent_calls').selectAll().where('name', '=', name).executeTakeFirst();

/** Gives the name of a failed call to a new one; false if another process was faster. */
export async function takeOver(db: Db, call: NewIdempotentCall, before: string): Promise<boolean> {
  const result = await db
    .updateTable('idempotent_calls')
    .set({ ...call, ...begun })
    .where('name', '=', call.name)
    .where('request_id', '=', before)
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/** Keeps the answer of a call. */
export async function finish(
  db: Db,
  { name, request_id: requestId }: Pick<IdempotentCallRow, 'name' | 'request_id'>,
  { status, answer }: { status: number; answer: string },
): Promise<void> {
  await db
    .updateTable('idempotent_calls')
    .set({ status, answer, size: answer.length })
    .where('name', '=', name)
    .where('request_id', '=', requestId)
    .execute();
}

/** Deletes a call without a result. */
export async function forget(
  db: Db,
  { name, request_id: requestId }: Pick<IdempotentCallRow, 'name' | 'request_id'>,
): Promise<void> {
  await db
    .deleteFrom('idempotent_calls')
    .where('name', '=', name)
    .where('request_id', '=', requestId)
    .execute();
}

/** Stores a whole answer under its name, instead of an older one. */
export async function keep(db: Db, row: Omit<IdempotentCallRow, 'id'>): Promise<void> {
  // A new row is the newest one of its owner.
  await db.deleteFrom('idempotent_calls').where('name', '=', row.name).execute();
  await dialectOf(db).insertIfNew(db.insertInto('idempotent_calls').values(row), ['name']);
}

/** Calls with a key, answers of the cache, or texts of captured calls. */
export type KeptKind = 'calls' | 'answers' | 'texts';

/** The owner of the answers that the cache has of a user. */
export const answersOf = (userId: number): string => `answers:${userId}`;
/** The owner of the captured texts of a user, by the organisation of the rule; 0 for none. */
export const textsOf = (teamId: number, userId: number): string => `texts:${teamId}:${userId}`;

/** Deletes the answers that the cache has of a user, and the captured texts of their calls. */
export async function removeOf(db: Db, userId: number): Promise<void> {
  await db
    .deleteFrom('idempotent_calls')
    .where((e) => e.or([e('owner', '=', answersOf(userId)), e('owner', 'like', `texts:%:${userId}`)]))
    .execute();
}

/** The condition for rows of a kind, by the names of their owners. */
const ofKind = (kind: KeptKind) => (e: ExpressionBuilder<Database, 'idempotent_calls'>) =>
  kind === 'calls'
    ? e.and([e('owner', 'not like', 'answers:%'), e('owner', 'not like', 'texts:%')])
    : e('owner', 'like', `${kind}:%`);

/** Deletes what was stored before a moment; returns the number. */
export async function removeBefore(db: Db, before: number, kind: KeptKind): Promise<number> {
  const result = await db
    .deleteFrom('idempotent_calls')
    .where('at', '<', before)
    .where(ofKind(kind))
    .executeTakeFirstOrThrow();
  return Number(result.numDeletedRows);
}

/** Number and size of what is stored of an owner. */
export async function totalsOf(db: Db, owner: string): Promise<KeepBounds> {
  const found = await db
    .selectFrom('idempotent_calls')
    .select((e) => [e.fn.countAll().as('rows'), e.fn.sum('size').as('size')])
    .where('owner', '=', owner)
    .executeTakeFirstOrThrow();
  return { rows: Number(found.rows), size: Number(found.size ?? 0) };
}

/** Owners with more stored calls than the limits. */
export async function ownersBeyond(db: Db, bounds: KeepBounds, kind: KeptKind = 'calls'): Promise<string[]> {
  const rows = await db
    .selectFrom('idempotent_calls')
    .select('owner')
    .where(ofKind(kind))
    .groupBy('owner')
    .having((e) => e.or([e(e.fn.countAll(), '>', bounds.rows), e(e.fn.sum('size'), '>', bounds.size)]))
    .execute();
  return rows.map(({ owner }) => owner);
}

/**
 * Deletes the oldest calls, of one owner or of a kind, until the rest is within the limits; returns the number. A call
 * that may still run keeps its key, because a repetition would be charged as well.
 */
export async function trim(
  db: Db,
  bounds: KeepBounds,
  owner?: string,
  kind: KeptKind = 'calls',
): Promise<number> {
  const isOwned = (e: ExpressionBuilder<Database, 'idempotent_calls'>) => e('owner', '=', owner ?? '');
  const chosen = owner === undefined ? ofKind(kind) : isOwned;
  const rows = await db
    .selectFrom('idempotent_calls')
    .select(['id', 'size'])
    .where(chosen)
    .orderBy('id', 'desc')
    .execute();
  const last = firstBeyond(rows, bounds);
  if (!last) return 0;
  const result = await db
    .deleteFrom('idempotent_calls')
    .where('id', '<=', last.id)
    .where('status', '<>', 0)
    .where(chosen)
    .executeTakeFirstOrThrow();
  return Number(result.numDeletedRows);
}
