import type { Selectable, SelectQueryBuilder } from 'kysely';
import { dialectOf } from '../db.ts';
import type { Db } from '../dialects/types.ts';
import { containing } from '../like.ts';
import type { ChannelTable } from '../schema/calls.ts';
import type { Database } from '../schema/index.ts';
import { batches, countOf, directionOf, idOf, type Slice } from './shared.ts';

export type ChannelRow = Selectable<ChannelTable>;
export type NewChannel = Omit<ChannelRow, 'id'>;
/** `used_quota` grows with settlements only. */
export type ChannelChange = Partial<Omit<ChannelRow, 'id' | 'used_quota'>>;

/** Inserts a channel, with its given id if it has one, and returns its id. */
export const create = (db: Db, channel: NewChannel & { id?: number }): Promise<number> =>
  dialectOf(db).insertReturningId(db.insertInto('channels').values(channel));

const rows = (db: Db): SelectQueryBuilder<Database, 'channels', ChannelRow> =>
  db.selectFrom('channels').selectAll();

export const find = (db: Db, id: number): Promise<ChannelRow | undefined> =>
  rows(db).where('id', '=', id).executeTakeFirst();

/** Locks a channel until the transaction ends, for a change that depends on its row. */
export const findLocked = (db: Db, id: number): Promise<ChannelRow | undefined> =>
  dialectOf(db)
    .lockRows(rows(db).where('id', '=', id))
    .executeTakeFirst();

export const all = (db: Db): Promise<ChannelRow[]> => rows(db).orderBy('id').execute();

/** The channels of these ids that exist, in order of id. */
export async function findMany(db: Db, ids: readonly number[]): Promise<ChannelRow[]> {
  const found: ChannelRow[] = [];
  for (const part of batches(ids)) found.push(...(await rows(db).where('id', 'in', part).execute()));
  return found.toSorted((a, b) => a.id - b.id);
}

/** Id → name of these channels, for lists that name them. */
export async function findNames(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  const names = new Map<number, string>();
  for (const part of batches([...new Set(ids)])) {
    const found = await db.selectFrom('channels').select(['id', 'name']).where('id', 'in', part).execute();
    for (const { id, name } of found) names.set(id, name);
  }
  return names;
}

/** Order of channels: by a column, otherwise by priority, or only by id. */
export interface ChannelOrder {
  byId: boolean;
  sort?: { by: keyof ChannelRow; descending: boolean } | undefined;
}

/** Highest priority first, then newest; by id: newest first. Equal values of a column: newest first. */
function ordered(
  query: SelectQueryBuilder<Database, 'channels', ChannelRow>,
  { byId, sort }: ChannelOrder,
): SelectQueryBuilder<Database, 'channels', ChannelRow> {
  if (sort?.by === 'id') return query.orderBy('id', directionOf(sort));
  if (sort) return query.orderBy(sort.by, directionOf(sort)).orderBy('id', 'desc');
  return (byId ? query : query.orderBy('priority', 'desc')).orderBy('id', 'desc');
}

export async function list(
  db: Db,
  { offset, limit, ...order }: ChannelOrder & Slice,
): Promise<{ rows: ChannelRow[]; total: number }> {
  const page = await ordered(rows(db), order).limit(limit).offset(offset).execute();
  const { total } = await db
    .selectFrom('channels')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { rows: page, total };
}

export interface ChannelSearch extends ChannelOrder {
  /** Id, or part of the name or the address; '' for all. */
  keyword: string;
  /** SHA-256 of the keyword: finds a channel by its exact key. */
  keyHash: string;
  /** A group the channel serves; '' for all. */
  group: string;
  /** Part of a model name; '' for all. */
  model: string;
  /** 0 for all. */
  status: number;
}

export function search(
  db: Db,
  { keyword, keyHash, group, model, status, ...order }: ChannelSearch,
): Promise<ChannelRow[]> {
  const { like } = dialectOf(db);
  let matching = rows(db);
  if (keyword !== '') {
    const id = idOf(keyword);
    matching = matching.where((eb) =>
      eb.or([
        ...(id === undefined ? [] : [eb('id', '=', id)]),
        eb('key_hash', '=', keyHash),
        like(eb.ref('name'), containing(keyword)),
        like(eb.ref('base_url'), containing(keyword)),
      ]),
    );
  }
  if (model !== '') matching = matching.where((eb) => like(eb.ref('models'), containing(model)));
  if (status !== 0) matching = matching.where('status', '=', status);
  if (group !== '') {
    matching = matching.where('id', 'in', (eb) =>
      eb.selectFrom('abilities').select('channel_id').where('abilities.group', '=', group),
    );
  }
  return ordered(matching, order).execute();
}

/** A page of all tags in alphabetical order, and their number. */
export async function tags(db: Db, { offset, limit }: Slice): Promise<{ tags: string[]; total: number }> {
  const found = await db
    .selectFrom('channels')
    .select('tag')
    .distinct()
    .where('tag', 'is not', null)
    .orderBy('tag')
    .limit(limit)
    .offset(offset)
    .execute();
  const { total } = await db
    .selectFrom('channels')
    .select((eb) => eb.fn.count<number>('tag').distinct().as('total'))
    .executeTakeFirstOrThrow();
  return { tags: found.flatMap(({ tag }) => tag ?? []), total };
}

/** All channels of these tags. */
export async function ofTags(db: Db, names: readonly string[], byId = false): Promise<ChannelRow[]> {
  if (names.length === 0) return [];
  return ordered(rows(db).where('tag', 'in', [...names]), { byId }).execute();
}

/** Changes columns of one channel; false if it does not exist. The caller must rebuild the abilities. */
export async function update(db: Db, id: number, change: ChannelChange): Promise<boolean> {
  const result = await db.updateTable('channels').set(change).where('id', '=', id).executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/** The channels with exactly this key: copies share it. */
export const withKey = (db: Db, keyHash: string): Promise<ChannelRow[]> =>
  rows(db).where('key_hash', '=', keyHash).orderBy('id').execute();

/** Replaces this key by another; false if it was changed meanwhile. */
export async function replaceKey(
  db: Db,
  id: number,
  keyHash: string,
  change: Pick<ChannelRow, 'key_sealed' | 'key_hash'>,
): Promise<boolean> {
  const result = await db
    .updateTable('channels')
    .set(change)
    .where('id', '=', id)
    .where('key_hash', '=', keyHash)
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/** Changes a channel only while it has this status: of two concurrent changes, one succeeds. */
export async function updateFrom(
  db: Db,
  id: number,
  status: number,
  change: ChannelChange,
): Promise<boolean> {
  const result = await db
    .updateTable('channels')
    .set(change)
    .where('id', '=', id)
    .where('status', '=', status)
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/** Names and tags of these channels. */
export async function findLabels(
  db: Db,
  ids: readonly number[],
): Promise<Pick<ChannelRow, 'id' | 'name' | 'tag'>[]> {
  const found = [];
  for (const part of batches(ids)) {
    const query = db.selectFrom('channels').select(['id', 'name', 'tag']).where('id', 'in', part);
    found.push(...(await query.orderBy('id').execute()));
  }
  return found;
}

/** Sets or removes the tag of channels; returns their number. */
export async function setTag(db: Db, ids: readonly number[], tag: string | null): Promise<number> {
  let changed = 0;
  for (const part of batches(ids)) {
    const result = await db
      .updateTable('channels')
      .set({ tag })
      .where('id', 'in', part)
      .executeTakeFirstOrThrow();
    changed += countOf(result);
  }
  return changed;
}

/** Channels in one of these states, with the fields for alarms. */
export const watched = (
  db: Db,
  statuses: readonly number[],
): Promise<
  Pick<ChannelRow, 'id' | 'name' | 'status' | 'balance' | 'balance_updated_time' | 'other_info'>[]
> =>
  db
    .selectFrom('channels')
    .select(['id', 'name', 'status', 'balance', 'balance_updated_time', 'other_info'])
    .where('status', 'in', [...statuses])
    .orderBy('id')
    .execute();

/** The models of the channels in a state, and their mappings. */
export const mappedModels = (
  db: Db,
  status: number,
): Promise<Pick<ChannelRow, 'models' | 'model_mapping'>[]> =>
  db.selectFrom('channels').select(['models', 'model_mapping']).where('status', '=', status).execute();

/** Channels in any state that offer a model, by id. */
export const offering = (
  db: Db,
  model: string,
): Promise<Pick<ChannelRow, 'id' | 'name' | 'status' | 'model_mapping' | 'setting'>[]> =>
  db
    .selectFrom('channels')
    .select(['id', 'name', 'status', 'model_mapping', 'setting'])
    .where('id', 'in', (eb) =>
      eb.selectFrom('abilities').select('channel_id').where('abilities.model', '=', model),
    )
    .orderBy('id')
    .execute();

/** Ids of the channels in one of these states. */
export async function idsWithStatus(db: Db, statuses: readonly number[]): Promise<number[]> {
  const found = await db
    .selectFrom('channels')
    .select('id')
    .where('status', 'in', [...statuses])
    .execute();
  return found.map(({ id }) => id);
}

/** Deletes channels; returns their number. Their abilities are `abilities.removeOf`. */
export async function remove(db: Db, ids: readonly number[]): Promise<number> {
  let removed = 0;
  for (const part of batches(ids)) {
    removed += countOf(await db.deleteFrom('channels').where('id', 'in', part).executeTakeFirstOrThrow());
  }
  return removed;
}
