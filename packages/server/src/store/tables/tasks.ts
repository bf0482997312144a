import { sql, type Selectable, type SelectQueryBuilder } from 'kysely';
import { dialectOf } from '../db.ts';
import type { Db } from '../dialects/types.ts';
import type { Database } from '../schema/index.ts';
import type { TaskTable } from '../schema/calls.ts';
import { batches, countOf, type Slice } from './shared.ts';

export type TaskRow = Selectable<TaskTable>;
export type NewTask = Omit<TaskRow, 'id'>;
/** Columns that change while a task runs. */
export type TaskChange = Partial<Omit<TaskRow, 'id' | 'task_id' | 'user_id' | 'request_id'>>;

/** Stores a new task and returns its id. */
export const create = (db: Db, task: NewTask): Promise<number> =>
  dialectOf(db).insertReturningId(db.insertInto('tasks').values(task));

/** No task has a name with NUL, neither ours nor a vendor's, and PostgreSQL refuses to search for one. */
const isName = (name: string): boolean => !name.includes('\0');

export const find = async (db: Db, taskId: string): Promise<TaskRow | undefined> =>
  isName(taskId)
    ? db.selectFrom('tasks').selectAll().where('task_id', '=', taskId).executeTakeFirst()
    : undefined;

export const findById = (db: Db, id: number): Promise<TaskRow | undefined> =>
  db.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirst();

/** The platform of sales: holds of applications, which no vendor knows. */
export const salePlatform = 'sale';
/** The platform of responses in the background, which have their own calls. */
const responsePlatform = 'response';
const hiddenPlatforms = [salePlatform, responsePlatform];

/** True for rows that no list of tasks shows. */
export const isHidden = ({ platform }: Pick<TaskRow, 'platform'>): boolean =>
  hiddenPlatforms.includes(platform);

/** A user's response in the background, by its vendor's id. */
export const findResponse = async (
  db: Db,
  userId: number,
  channelId: number,
  vendorId: string,
): Promise<TaskRow | undefined> =>
  isName(vendorId)
    ? db
        .selectFrom('tasks')
        .selectAll()
        .where('channel_id', '=', channelId)
        .where('vendor_id', '=', vendorId)
        .where('user_id', '=', userId)
        .where('platform', '=', responsePlatform)
        .executeTakeFirst()
    : undefined;

/** Tasks of a user by their names; those of others are not found. */
export async function findMany(db: Db, userId: number, taskIds: readonly string[]): Promise<TaskRow[]> {
  const found: TaskRow[] = [];
  for (const some of batches([...new Set(taskIds)].filter(isName))) {
    const query = db
      .selectFrom('tasks')
      .selectAll()
      .where('user_id', '=', userId)
      .where('platform', 'not in', hiddenPlatforms);
    found.push(...(await query.where('task_id', 'in', some).orderBy('id').execute()));
  }
  return found;
}

/** Changes a task that is in one of these states; false if it is in another one by now. */
export async function moveOn(
  db: Db,
  id: number,
  from: readonly string[],
  change: TaskChange,
): Promise<boolean> {
  const query = db.updateTable('tasks').set(change).where('id', '=', id).where('state', 'in', from);
  return countOf(await query.executeTakeFirstOrThrow()) > 0;
}

/** Adds to what was charged for a task. */
export async function addQuota(db: Db, id: number, amount: number): Promise<void> {
  await db
    .updateTable('tasks')
    .set((e) => ({ quota: e('quota', '+', amount) }))
    .where('id', '=', id)
    .execute();
}

/** Removes a task that is still in this state. */
export async function remove(db: Db, id: number, state: string): Promise<boolean> {
  const query = db.deleteFrom('tasks').where('id', '=', id).where('state', '=', state);
  return countOf(await query.executeTakeFirstOrThrow()) > 0;
}

/** The channels with due tasks. */
export async function dueChannels(db: Db, now: number): Promise<number[]> {
  const rows = await isDue(db.selectFrom('tasks').select('channel_id'), now)
    .where('platform', '<>', salePlatform)
    .groupBy('channel_id')
    .execute();
  return rows.map(({ channel_id: id }) => id);
}

/** The due tasks of these channels, the longest waiting ones first. Sales and own batches have no channel. */
export const due = (db: Db, now: number, channels: readonly number[], limit: number): Promise<TaskRow[]> =>
  isDue(db.selectFrom('tasks').selectAll(), now)
    .where('channel_id', 'in', channels)
    .where('platform', '<>', salePlatform)
    .orderBy('next_poll')
    .limit(limit)
    .execute();

/** Sales whose holds have expired, the oldest first. */
export const dueSales = (db: Db, now: number, limit: number): Promise<TaskRow[]> =>
  isDue(db.selectFrom('tasks').selectAll(), now)
    .where('platform', '=', salePlatform)
    .orderBy('next_poll')
    .limit(limit)
    .execute();

const isDue = <O>(query: SelectQueryBuilder<Database, 'tasks', O>, now: number) =>
  query
    // Redundant, but lets the database use the index over open tasks.
    .where('next_poll', '<>', sql.lit(0))
    .where('next_poll', '<=', now);

/** Sets the next poll of open tasks, and resets or increments their failed polls. */
export async function postpone(
  db: Db,
  ids: readonly number[],
  until: number,
  failed: boolean,
): Promise<void> {
  for (const some of batches(ids)) {
    await db
      .updateTable('tasks')
      .set((e) => ({ next_poll: until, poll_failures: failed ? e('poll_failures', '+', 1) : 0 }))
      .where('id', 'in', some)
      .where('next_poll', '<>', 0)
      .execute();
  }
}

/** Makes tasks with a callback due at once; returns the number. */
export async function makeDue(db: Db, userId: number, vendorId: string, now: number): Promise<number> {
  if (!isName(vendorId)) return 0;
  const result = await db
    .updateTable('tasks')
    .set({ next_poll: now })
    .where('user_id', '=', userId)
    .where('vendor_id', '=', vendorId)
    .where('platform', 'not in', hiddenPlatforms)
    .where('next_poll', '>', now)
    .executeTakeFirstOrThrow();
  return countOf(result);
}

/** Tasks of this process with an unanswered vendor request at the time of its death; of any process for no `node`. */
export const findSubmitting = (db: Db, node: string | undefined): Promise<TaskRow[]> =>
  db
    .selectFrom('tasks')
    .selectAll()
    .where('next_poll', '<>', sql.lit(0))
    .where('state', '=', 'submitting')
    .$if(node !== undefined, (query) => query.where('node', '=', node!))
    .execute();

/** Search conditions of lists; absent for any. Times in Unix ms. */
export interface TaskFilter {
  platforms: readonly string[];
  userId?: number;
  channelId?: number;
  taskId?: string;
  state?: readonly string[];
  action?: string;
  /** Excluded actions. */
  without?: readonly string[];
  from?: number;
  to?: number;
  /** Rows older than this one. */
  before?: number;
}

/** A page of tasks, newest first. */
export const page = (db: Db, filter: TaskFilter, { offset, limit }: Slice): Promise<TaskRow[]> =>
  matching(db, filter).selectAll().orderBy('id', 'desc').offset(offset).limit(limit).execute();

/** Number of matching tasks; counting stops at `most`. */
export async function count(db: Db, filter: TaskFilter, most: number): Promise<number> {
  const found = matching(db, filter).select('id').limit(most).as('found');
  const { total } = await db
    .selectFrom(found)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return Number(total);
}

function matching(db: Db, filter: TaskFilter): SelectQueryBuilder<Database, 'tasks', object> {
  const { platforms, userId, channelId, taskId, state, action, without, from, to, before } = filter;
  let query: SelectQueryBuilder<Database, 'tasks', object> = db
    .selectFrom('tasks')
    .where('platform', 'in', platforms);
  if (userId !== undefined) query = query.where('user_id', '=', userId);
  if (channelId !== undefined) query = query.where('channel_id', '=', channelId);
  if (taskId !== undefined) query = query.where('task_id', '=', taskId);
  if (state !== undefined) query = query.where('state', 'in', state);
  if (action !== undefined) query = query.where('action', '=', action);
  if (without !== undefined) query = query.where('action', 'not in', without);
  if (before !== undefined) query = query.where('id', '<', before);
  if (from !== undefined) query = query.where('submit_time', '>=', from);
  if (to !== undefined) query = query.where('submit_time', '<=', to);
  return query;
}

/** State and charge of tasks, by their names. */
export async function findStates(
  db: Db,
  taskIds: readonly string[],
): Promise<Map<string, Pick<TaskRow, 'state' | 'quota'>>> {
  const found = new Map<string, Pick<TaskRow, 'state' | 'quota'>>();
  for (const some of batches([...new Set(taskIds)])) {
    const query = db.selectFrom('tasks').select(['task_id', 'state', 'quota']).where('task_id', 'in', some);
    for (const { task_id: id, ...state } of await query.execute()) found.set(id, state);
  }
  return found;
}
