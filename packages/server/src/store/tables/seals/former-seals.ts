import type { Db } from '../../dialects/types.ts';
import type { ChannelRow } from '../channels.ts';
import type { IdempotentCallRow } from '../idempotent-calls.ts';
import type { RedemptionRow } from '../redemptions.ts';
import { countOf } from '../shared.ts';
import type { TokenRow } from '../tokens.ts';
import type { UserRow } from '../users.ts';

/** Rows after an id with this prefix of the encrypted text, limited in number. */
interface Part {
  start: string;
  afterId: number;
  limit: number;
}

export const tokens = (
  db: Db,
  { start, afterId, limit }: Part,
): Promise<Pick<TokenRow, 'id' | 'user_id' | 'key_hash' | 'key_sealed'>[]> =>
  db
    .selectFrom('tokens')
    .select(['id', 'user_id', 'key_hash', 'key_sealed'])
    .where('id', '>', afterId)
    .where('key_sealed', 'like', `${start}%`)
    .orderBy('id')
    .limit(limit)
    .execute();

export const answers = (
  db: Db,
  { start, afterId, limit }: Part,
): Promise<Pick<IdempotentCallRow, 'id' | 'name' | 'answer'>[]> =>
  db
    .selectFrom('idempotent_calls')
    .select(['id', 'name', 'answer'])
    .where('id', '>', afterId)
    .where('answer', 'like', `${start}%`)
    .orderBy('id')
    .limit(limit)
    .execute();

/** Users with an encrypted text in their settings. */
export const users = (db: Db, { start, afterId, limit }: Part): Promise<Pick<UserRow, 'id' | 'setting'>[]> =>
  db
    .selectFrom('users')
    .select(['id', 'setting'])
    .where('id', '>', afterId)
    .where('setting', 'like', `%"${start}%`)
    .orderBy('id')
    .limit(limit)
    .execute();

/** Redemption codes that are still in clear text: they have no sealed copy. */
export const codes = (
  db: Db,
  { afterId, limit }: Pick<Part, 'afterId' | 'limit'>,
): Promise<Pick<RedemptionRow, 'id' | 'key_hash'>[]> =>
  db
    .selectFrom('redemptions')
    .select(['id', 'key_hash'])
    .where('id', '>', afterId)
    .where('key_sealed', '=', '')
    .orderBy('id')
    .limit(limit)
    .execute();

/** Writes only if the row still has its former text; false if it was changed meanwhile. */
export const replaceToken = async (db: Db, row: Pick<TokenRow, 'id' | 'key_sealed'>, sealed: string) =>
  countOf(
    await db
      .updateTable('tokens')
      .set({ key_sealed: sealed })
      .where('id', '=', row.id)
      .where('key_sealed', '=', row.key_sealed)
      .executeTakeFirstOrThrow(),
  ) > 0;

export const replaceCode = async (
  db: Db,
  row: Pick<RedemptionRow, 'id' | 'key_hash'>,
  change: Pick<RedemptionRow, 'key_hash' | 'key_sealed'>,
) =>
  countOf(
    await db
      .updateTable('redemptions')
      .set(change)
      .where('id', '=', row.id)
      .where('key_hash', '=', row.key_hash)
      .where('key_sealed', '=', '')
      .executeTakeFirstOrThrow(),
  ) > 0;

export const replaceAnswer = async (db: Db, row: Pick<IdempotentCallRow, 'id' | 'answer'>, sealed: string) =>
  countOf(
    await db
      .updateTable('idempotent_calls')
      .set({ answer: sealed, size: sealed.length })
      .where('id', '=', row.id)
      .where('answer', '=', row.answer)
      .executeTakeFirstOrThrow(),
  ) > 0;

export const replaceUserSetting = async (db: Db, row: Pick<UserRow, 'id' | 'setting'>, setting: string) =>
  countOf(
    await db
      .updateTable('users')
      .set({ setting })
      .where('id', '=', row.id)
      .where('setting', '=', row.setting)
      .executeTakeFirstOrThrow(),
  ) > 0;

export const replaceOption = async (db: Db, key: string, former: string, value: string) =>
  countOf(
    await db
      .updateTable('options')
      .set({ value })
      .where('key', '=', key)
      .where('value', '=', former)
      .executeTakeFirstOrThrow(),
  ) > 0;

export const replaceChannelSecrets = async (
  db: Db,
  row: Pick<ChannelRow, 'id' | 'key_sealed' | 'setting' | 'base_url' | 'header_override'>,
  change: Partial<Omit<ChannelRow, 'id'>>,
) =>
  countOf(
    await db
      .updateTable('channels')
      .set(change)
      .where('id', '=', row.id)
      .where('key_sealed', '=', row.key_sealed)
      .where('setting', '=', row.setting)
      .where('base_url', '=', row.base_url)
      .where('header_override', '=', row.header_override)
      .executeTakeFirstOrThrow(),
  ) > 0;
