import { sql, type Selectable } from 'kysely';
import { dialectOf } from '../db.ts';
import type { Db } from '../dialects/types.ts';
import type { ChannelKeyTable } from '../schema/calls.ts';
import { batches } from './shared.ts';

export type ChannelKeyRow = Selectable<ChannelKeyTable>;
type KeyState = Omit<ChannelKeyRow, 'uses' | 'limits'>;

export const all = (db: Db): Promise<ChannelKeyRow[]> => db.selectFrom('channel_keys').selectAll().execute();

export const ofChannel = (db: Db, channelId: number): Promise<ChannelKeyRow[]> =>
  db.selectFrom('channel_keys').selectAll().where('channel_id', '=', channelId).execute();

export const find = (db: Db, channelId: number, keyId: string): Promise<ChannelKeyRow | undefined> =>
  db
    .selectFrom('channel_keys')
    .selectAll()
    .where('channel_id', '=', channelId)
    .where('key_id', '=', keyId)
    .executeTakeFirst();

/** Writes the states of keys; their counts and limits stay. */
export async function putStates(db: Db, states: readonly KeyState[]): Promise<void> {
  const { upsert, incoming } = dialectOf(db);
  for (const part of batches(states)) {
    await db
      .insertInto('channel_keys')
      .values(part.map((state) => ({ ...state, uses: 0, limits: '' })))
      .modifyEnd(
        upsert(['channel_id', 'key_id'], {
          status: incoming('status'),
          reason: incoming<string>('reason'),
          changed_at: incoming('changed_at'),
        }),
      )
      .execute();
  }
}

/** The row of a key that is on. */
const newRow = (channelId: number, keyId: string): ChannelKeyRow => ({
  channel_id: channelId,
  key_id: keyId,
  status: 1,
  reason: '',
  changed_at: 0,
  uses: 0,
  limits: '',
});

/** Writes the limits of a key. */
export async function putLimits(db: Db, channelId: number, keyId: string, limits: string): Promise<void> {
  const { upsert, incoming } = dialectOf(db);
  await db
    .insertInto('channel_keys')
    .values({ ...newRow(channelId, keyId), limits })
    .modifyEnd(upsert(['channel_id', 'key_id'], { limits: incoming<string>('limits') }))
    .execute();
}

/** Counts attempts; a key without a row is on. */
export async function addUses(db: Db, channelId: number, keyId: string, uses: number): Promise<void> {
  const { upsert, incoming } = dialectOf(db);
  await db
    .insertInto('channel_keys')
    .values({ ...newRow(channelId, keyId), uses })
    .modifyEnd(
      upsert(['channel_id', 'key_id'], {
        uses: sql<number>`${sql.ref('channel_keys.uses')} + ${incoming('uses')}`,
      }),
    )
    .execute();
}

/** Deletes keys that a channel no longer has. */
export async function removeKeys(db: Db, channelId: number, keyIds: readonly string[]): Promise<void> {
  for (const part of batches(keyIds)) {
    await db
      .deleteFrom('channel_keys')
      .where('channel_id', '=', channelId)
      .where('key_id', 'in', part)
      .execute();
  }
}

/** Deletes the keys of deleted channels. */
export async function removeOf(db: Db, channelIds: readonly number[]): Promise<void> {
  for (const part of batches(channelIds)) {
    await db.deleteFrom('channel_keys').where('channel_id', 'in', part).execute();
  }
}
