import { beforeEach, expect, it } from 'vitest';
import { eachDialect } from '../each-dialect.ts';
import type { Db } from '../dialects/types.ts';
import * as tokens from './tokens.ts';

/** The tokens that a person pays for. */
const own = (userId: number): tokens.TokenScope => ({ teamId: 0, userId });

const token = (userId: number, name: string, key: string) => ({
  user_id: userId,
  key_hash: key.padEnd(64, '0'),
  key_sealed: 'sealed',
  key_hint: `${key.slice(0, 4)}…${key.slice(-4)}`,
  status: 1,
  name,
  created_time: 100,
  expired_time: -1,
  unlimited_quota: 0,
  model_limits_enabled: 0,
  model_limits: '',
  allow_ips: '',
  group: '',
  team_id: 0,
});

eachDialect('tokens', ({ open }) => {
  let db: Db;
  beforeEach(async () => {
    ({ db } = await open());
  });

  it('start without any allowance: only the ledger grants one', async () => {
    const id = await tokens.create(db, token(1, 'first', 'abcdefgh'));
    expect(await tokens.find(db, id)).toMatchObject({
      remain_quota: 0,
      held: 0,
      used_quota: 0,
      accessed_time: 100,
    });
  });

  it('are found by their key’s hash and by their owner alone', async () => {
    const id = await tokens.create(db, token(1, 'first', 'abcdefgh'));
    expect((await tokens.findByHash(db, 'abcdefgh'.padEnd(64, '0')))?.id).toBe(id);
    expect(await tokens.findByHash(db, 'ABCDEFGH'.padEnd(64, '0'))).toBeUndefined();
    expect((await tokens.findOwn(db, id, own(1)))?.id).toBe(id);
    expect(await tokens.findOwn(db, id, own(2))).toBeUndefined();
    expect(await tokens.update(db, id, own(2), { name: 'stolen' })).toBe(false);
    expect(await tokens.softDelete(db, id, own(2), 5)).toBe(false);
    expect(await tokens.update(db, id, own(1), { name: 'renamed' })).toBe(true);
    expect((await tokens.find(db, id))?.name).toBe('renamed');
  });

  it('are listed newest first and counted, for their owner', async () => {
    const ids = [];
    for (const name of ['a', 'b', 'c']) ids.push(await tokens.create(db, token(1, name, `key-${name}`)));
    await tokens.create(db, token(2, 'other', 'key-other'));
    const page = await tokens.list(db, own(1), { offset: 0, limit: 2 });
    expect(page.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
    expect(await tokens.count(db, 1)).toBe(3);
  });

  it('are searched by part of the name, by the whole key, and by the start of the key', async () => {
    const a = await tokens.create(db, token(1, 'production', 'abcdefgh'));
    const b = await tokens.create(db, token(1, 'test_1', 'ab__xyzw'));
    const find = async (search: Omit<tokens.TokenSearch, 'limit'>): Promise<number[]> =>
      (await tokens.search(db, own(1), { ...search, limit: 10 })).map(({ id }) => id);
    expect(await find({ name: 'DUCT' })).toEqual([a]);
    expect(await find({ name: '_' })).toEqual([b]);
    expect(await find({ name: '', keyHashes: ['abcdefgh'.padEnd(64, '0')] })).toEqual([a]);
    expect(await find({ name: '', keyStart: 'ab__' })).toEqual([b]);
    expect(await find({ name: '' })).toEqual([b, a]);
  });

  it('move from one state to another once', async () => {
    const id = await tokens.create(db, token(1, 'a', 'abcdefgh'));
    expect(await tokens.moveStatus(db, id, 1, 3)).toBe(true);
    expect(await tokens.moveStatus(db, id, 1, 4)).toBe(false);
    expect((await tokens.find(db, id))?.status).toBe(3);
  });

  it('are unusable once deleted, one or all', async () => {
    const a = await tokens.create(db, token(1, 'a', 'aaaaaaaa'));
    const b = await tokens.create(db, token(1, 'b', 'bbbbbbbb'));
    const other = await tokens.create(db, token(2, 'c', 'cccccccc'));
    expect(await tokens.softDelete(db, a, own(1), 5)).toBe(true);
    expect(await tokens.find(db, a)).toBeUndefined();
    expect(await tokens.findByHash(db, 'aaaaaaaa'.padEnd(64, '0'))).toBeUndefined();
    expect(await tokens.softDeleteAll(db, 1, 6)).toEqual([b]);
    expect(await tokens.softDeleteAll(db, 1, 7)).toEqual([]);
    expect((await tokens.find(db, other))?.id).toBe(other);
  });
});
