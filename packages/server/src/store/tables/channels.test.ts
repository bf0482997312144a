import { beforeEach, expect, it } from 'vitest';
import { eachDialect } from '../each-dialect.ts';
import type { Db } from '../dialects/types.ts';
import * as abilities from './abilities.ts';
import type { AbilityRow } from './abilities.ts';
import * as channels from './channels.ts';
import type { NewChannel } from './channels.ts';

const channel = (name: string, rest: Partial<NewChannel> = {}): NewChannel => ({
  type: 1,
  key_sealed: 'sealed',
  key_hash: 'f'.repeat(64),
  max_input_tokens: 0,
  remark: '',
  multi_key_mode: '',
  openai_organization: '',
  test_model: '',
  status: 1,
  name,
  weight: 0,
  created_time: 100,
  test_time: 0,
  response_time: 0,
  test_outcome: 0,
  test_failure: null,
  base_url: '',
  other: '',
  balance: 1.25,
  balance_updated_time: 0,
  models: 'gpt-4o,gpt-4o-mini',
  group: 'default',
  used_quota: 0,
  model_mapping: '',
  status_code_mapping: '',
  priority: 0,
  auto_ban: 1,
  other_info: '',
  tag: null,
  setting: '',
  param_override: '',
  header_override: '',
  header_secrets_sealed: null,
  ...rest,
});

const ability = (channelId: number, model: string, rest: Partial<AbilityRow> = {}): AbilityRow => ({
  group: 'default',
  model,
  channel_id: channelId,
  enabled: 1,
  priority: 0,
  weight: 0,
  tag: null,
  ...rest,
});

eachDialect('channels', ({ open }) => {
  let db: Db;
  beforeEach(async () => {
    ({ db } = await open());
  });

  it('are read as they were stored', async () => {
    const row = channel('a', { param_override: '{"x":"\\"é\\n"}', priority: -999 });
    const id = await channels.create(db, row);
    expect(await channels.find(db, id)).toEqual({ id, ...row });
    expect(await channels.findLocked(db, id)).toEqual({ id, ...row });
    expect(await channels.find(db, id + 1)).toBeUndefined();
  });

  it('are listed by priority, or by id', async () => {
    const low = await channels.create(db, channel('low', { priority: 1 }));
    const high = await channels.create(db, channel('high', { priority: 9 }));
    const newest = await channels.create(db, channel('newest', { priority: 1 }));
    const list = async (byId: boolean, offset = 0): Promise<number[]> =>
      (await channels.list(db, { byId, offset, limit: 2 })).rows.map(({ id }) => id);
    expect(await list(false)).toEqual([high, newest]);
    expect(await list(false, 2)).toEqual([low]);
    expect(await list(true)).toEqual([newest, high]);
    expect((await channels.list(db, { byId: true, offset: 0, limit: 1 })).total).toBe(3);
    expect((await channels.all(db)).map(({ id }) => id)).toEqual([low, high, newest]);
    expect((await channels.findMany(db, [newest, low, 999_999])).map(({ id }) => id)).toEqual([low, newest]);
    expect(await channels.findNames(db, [low, low, high])).toEqual(
      new Map([
        [low, 'low'],
        [high, 'high'],
      ]),
    );
  });

  it('are searched by id, name, address, exact key, group, model and state', async () => {
    const a = await channels.create(
      db,
      channel('Azure East', { key_hash: 'a'.repeat(64), base_url: 'https://east.example.com' }),
    );
    const b = await channels.create(db, channel('other', { models: 'claude-3', priority: 5 }));
    await abilities.insert(db, [ability(a, 'gpt-4o', { group: 'vip' }), ability(b, 'claude-3')]);
    const search = async (part: Partial<channels.ChannelSearch>): Promise<number[]> => {
      const all = { keyword: '', keyHash: '', group: '', model: '', status: 0, byId: false, ...part };
      return (await channels.search(db, all)).map(({ id }) => id);
    };
    expect(await search({})).toEqual([b, a]);
    expect(await search({ byId: true })).toEqual([b, a]);
    expect(await search({ keyword: 'azure' })).toEqual([a]);
    expect(await search({ keyword: 'EAST.example' })).toEqual([a]);
    expect(await search({ keyword: String(b) })).toContain(b);
    expect(await search({ keyword: 'sk-secret', keyHash: 'a'.repeat(64) })).toEqual([a]);
    expect(await search({ group: 'vip' })).toEqual([a]);
    expect(await search({ model: 'CLAUDE' })).toEqual([b]);
    expect(await search({ model: 'claude', group: 'vip' })).toEqual([]);
    expect(await search({ keyword: '%' })).toEqual([]);
    await channels.update(db, a, { status: 3 });
    expect(await search({ status: 3 })).toEqual([a]);
    expect(await search({ status: 1 })).toEqual([b]);
    expect(await search({ status: 2 })).toEqual([]);
  });

  it('are grouped by tags, which have pages of their own', async () => {
    const ids = [];
    for (const tag of ['x', 'y', 'x', null]) ids.push(await channels.create(db, channel('c', { tag })));
    expect(await channels.tags(db, { offset: 0, limit: 1 })).toEqual({ tags: ['x'], total: 2 });
    expect(await channels.tags(db, { offset: 1, limit: 5 })).toEqual({ tags: ['y'], total: 2 });
    expect((await channels.ofTags(db, ['x'])).map(({ id }) => id)).toEqual([ids[2], ids[0]]);
    expect(await channels.ofTags(db, [])).toEqual([]);
    expect(await channels.setTag(db, [ids[3] ?? 0, 999_999], 'y')).toBe(1);
    expect(await channels.ofTags(db, ['y'])).toHaveLength(2);
    expect(await channels.setTag(db, ids, null)).toBe(4);
    expect((await channels.tags(db, { offset: 0, limit: 5 })).total).toBe(0);
  });

  it('are enabled or disabled by one of two concurrent writers', async () => {
    const id = await channels.create(db, channel('a'));
    const change = { status: 3, other_info: '{"status_reason":"401"}' };
    const won = await Promise.all([
      channels.updateFrom(db, id, 1, change),
      channels.updateFrom(db, id, 1, change),
    ]);
    expect(won.toSorted()).toEqual([false, true]);
    expect(await channels.idsWithStatus(db, [2, 3])).toEqual([id]);
    expect(await channels.update(db, id, { balance: 0.1 })).toBe(true);
    expect((await channels.find(db, id))?.balance).toBe(0.1);
    expect(await channels.update(db, id + 1, { name: 'x' })).toBe(false);
  });

  it('are deleted, and counted', async () => {
    const id = await channels.create(db, channel('a'));
    expect(await channels.remove(db, [id, id + 1])).toBe(1);
    expect(await channels.all(db)).toEqual([]);
  });
});

eachDialect('abilities', ({ open }) => {
  let db: Db;
  beforeEach(async () => {
    ({ db } = await open());
  });

  it('of a channel are replaced as a whole', async () => {
    await abilities.insert(db, [ability(1, 'a'), ability(1, 'b'), ability(2, 'b')]);
    await abilities.replaceOf(db, 1, [ability(1, 'c')]);
    expect(await abilities.enabledModels(db)).toEqual(['b', 'c']);
    await abilities.removeOf(db, [2]);
    expect(await abilities.enabledModels(db)).toEqual(['c']);
    await abilities.removeAll(db);
    expect(await abilities.enabledModels(db)).toEqual([]);
  });

  it('list enabled models once, also for chosen groups, case-sensitively', async () => {
    await abilities.insert(db, [
      ability(1, 'm'),
      ability(2, 'm'),
      ability(2, 'M', { group: 'vip' }),
      ability(3, 'off', { enabled: 0 }),
    ]);
    expect((await abilities.enabledModels(db)).toSorted()).toEqual(['M', 'm']);
    expect(await abilities.enabledModels(db, ['vip'])).toEqual(['M']);
    expect(await abilities.enabledModels(db, [])).toEqual([]);
    expect(await abilities.enabledPairs(db)).toHaveLength(2);
    await abilities.setEnabled(db, [2], false);
    expect(await abilities.enabledPairs(db)).toEqual([{ group: 'default', model: 'm' }]);
    await abilities.setTag(db, [1], 't');
    const tagged = await db.selectFrom('abilities').select('channel_id').where('tag', '=', 't').execute();
    expect(tagged).toEqual([{ channel_id: 1 }]);
  });

  it('are written for thousands of models at once', async () => {
    const many = Array.from({ length: 2_500 }, (_, i) => ability(1, `model-${i}`));
    await abilities.replaceOf(db, 1, many);
    expect(await abilities.enabledModels(db)).toHaveLength(2_500);
  });
});
