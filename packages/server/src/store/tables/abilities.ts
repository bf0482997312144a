import type { Selectable } from 'kysely';
import type { Db } from '../dialects/types.ts';
import type { AbilityTable } from '../schema/calls.ts';
import { batches } from './shared.ts';

export type AbilityRow = Selectable<AbilityTable>;

/** Replaces the abilities of a channel, in the transaction that saves the channel. */
export async function replaceOf(db: Db, channelId: number, rows: readonly AbilityRow[]): Promise<void> {
  await db.deleteFrom('abilities').where('channel_id', '=', channelId).execute();
  await insert(db, rows);
}

/** Adds rows for new combinations of group, model and channel. */
export async function insert(db: Db, rows: readonly AbilityRow[]): Promise<void> {
  for (const part of batches(rows)) await db.insertInto('abilities').values(part).execute();
}

export async function removeOf(db: Db, channelIds: readonly number[]): Promise<void> {
  for (const part of batches(channelIds)) {
    await db.deleteFrom('abilities').where('channel_id', 'in', part).execute();
  }
}

export async function removeAll(db: Db): Promise<void> {
  await db.deleteFrom('abilities').execute();
}

/** Enables or disables the abilities of channels. */
export async function setEnabled(db: Db, channelIds: readonly number[], enabled: boolean): Promise<void> {
  for (const part of batches(channelIds)) {
    await db
      .updateTable('abilities')
      .set({ enabled: enabled ? 1 : 0 })
      .where('channel_id', 'in', part)
      .execute();
  }
}

/** Writes the present tag of the channels. */
export async function setTag(db: Db, channelIds: readonly number[], tag: string | null): Promise<void> {
  for (const part of batches(channelIds)) {
    await db.updateTable('abilities').set({ tag }).where('channel_id', 'in', part).execute();
  }
}

/** Names of the models that an enabled channel serves, in order; with `groups`, that these groups reach. */
export async function enabledModels(db: Db, groups?: readonly string[]): Promise<string[]> {
  if (groups?.length === 0) return [];
  let query = db.selectFrom('abilities').select('model').distinct().where('enabled', '=', 1);
  if (groups) query = query.where('group', 'in', [...groups]);
  return (await query.orderBy('model').execute()).map(({ model }) => model);
}

/** Each enabled model with each of its groups, once: the content of the pricing page. */
export const enabledPairs = (db: Db): Promise<{ group: string; model: string }[]> =>
  db
    .selectFrom('abilities')
    .select(['group', 'model'])
    .distinct()
    .where('enabled', '=', 1)
    .orderBy('model')
    .orderBy('group')
    .execute();
