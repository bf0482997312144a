import type { Selectable } from 'kysely';
import { dialectOf } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import type { ChannelCostTable } from '../../schema/money.ts';

export type ChannelCostRow = Selectable<ChannelCostTable>;

/** All rows: one for each channel with cost prices. */
export const all = (db: Db): Promise<ChannelCostRow[]> =>
  db.selectFrom('channel_costs').selectAll().orderBy('channel_id').execute();

export const find = (db: Db, channelId: number): Promise<ChannelCostRow | undefined> =>
  db.selectFrom('channel_costs').selectAll().where('channel_id', '=', channelId).executeTakeFirst();

/** Overwrites a column; the others stay, or are empty in a new row. */
export async function put(
  db: Db,
  channelId: number,
  columns:
    | Pick<ChannelCostRow, 'rule'>
    | Pick<ChannelCostRow, 'report_key_sealed'>
    | Pick<ChannelCostRow, 'report_mapping'>,
): Promise<void> {
  const { upsert, incoming } = dialectOf(db);
  const changed = Object.keys(columns).map((column) => [column, incoming<string>(column)] as const);
  await db
    .insertInto('channel_costs')
    .values({ rule: '', report_key_sealed: '', report_mapping: null, ...columns, channel_id: channelId })
    .modifyEnd(upsert(['channel_id'], Object.fromEntries(changed)))
    .execute();
}
