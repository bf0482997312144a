import {
  type ChannelData,
  type ChannelKeysPage,
  channelApi,
  type ChannelTypeData,
  role,
  type Route,
} from '@tollgate/contract';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { channels } from '../../../store/index.ts';
import type { Agent } from '../../../testing/agent.ts';
import { type FakeUpstream, startFakeUpstream } from '../../../testing/upstream/fake-upstream.ts';
import * as faults from '../../../testing/upstream/fake-upstream-faults.ts';
import { type House, openHouse, operatorCalls } from '../../../testing/harness.ts';

const key = 'sk-0123456789abcdef0123456789abcdef';

let house: House;
let upstream: FakeUpstream;
let admin: Agent;
let user: Agent;

beforeAll(async () => {
  house = await openHouse({
    routes: operatorCalls,
  });
  admin = await house.person('admin', { role: role.admin });
  user = await house.person('user');
});
afterAll(() => house.close());

beforeEach(async () => {
  upstream = await startFakeUpstream();
});
afterEach(async () => {
  await upstream.close();
  const all = (await house.core.channels.loadAll()).map(({ channel }) => channel.id);
  await house.core.channels.remove(all);
});

const input = (fields: Partial<ChannelData> = {}) => ({
  type: 1,
  name: 'main',
  key,
  models: 'gpt-4o,gpt-4o-mini',
  base_url: upstream.url,
  ...fields,
});
const make = async (fields: Partial<ChannelData> & { key?: never } = {}): Promise<number> => {
  const made = (await admin.must(channelApi.create, input(fields))) as ChannelData[];
  return made[0]!.id;
};
const list = async (query: Record<string, unknown> = {}) => {
  const { body } = await admin.call(channelApi.list, query);
  return { rows: body.data as ChannelData[], total: body.total };
};

describe('channel calls', () => {
  it.each(Object.entries(channelApi as Record<string, Route>))(
    '%s is for administrators only',
    async (_name, route) => {
      const sample = { id: 1, ids: [1], tag: 't', type: 1, name: 'x', key: 'k', models: 'm' };
      expect((await house.guest.call(route, sample)).status).toBe(401);
      expect((await user.call(route, sample)).body).toMatchObject({
        success: false,
        code: 'insufficient_role',
      });
    },
  );

  it('never return a key, whatever is requested', async () => {
    const id = await make();
    const answers = await Promise.all([
      admin.call(channelApi.list, {}),
      admin.call(channelApi.search, { keyword: key }),
      admin.call(channelApi.get, { id }),
      admin.call(channelApi.update, { id, name: 'new' }),
      admin.call(channelApi.create, input()),
      admin.call(channelApi.copy, { id }),
    ]);
    for (const { body } of answers) {
      expect(body.success).toBe(true);
      expect(JSON.stringify(body)).not.toContain(key.slice(3, 20));
    }
    expect((answers[1]!.body.data as unknown[]).length).toBe(1);
  });

  it('are made from the form of newer programs: one key, or one channel for each', async () => {
    const { key: _key, ...fields } = input() as { key: string };
    const make = (body: object) => admin.send({ method: 'POST', url: '/api/channel/', payload: body });
    const channel = { ...fields, key: 'sk-a\nsk-b', groups: ['default', 'vip'], remark: 'of March' };
    const batch = (await make({ mode: 'batch', multi_key_mode: null, channel })).body;
    expect(batch.data).toMatchObject(Array(2).fill({ group: 'default,vip', remark: 'of March' }));
    const before = await list();
    expect((await make({ mode: 'single', channel })).body.code).toBe('channel_single_key');
    expect((await make({ mode: 'several', channel })).body.code).toBe('channel_mode_unavailable');
    const prefixed = { mode: 'batch', batch_add_set_key_prefix_2_name: true, channel };
    expect((await make(prefixed)).body.message).toContain('batch_add_set_key_prefix_2_name');
    expect(await list()).toEqual(before);
    const single = (await make({ mode: 'single', channel: { ...channel, key: 'sk-a' } })).body;
    expect(single.data).toHaveLength(1);
  });

  it('put several keys into one channel, and manage each, without showing one', async () => {
    const { key: _key, ...fields } = input() as { key: string };
    const post = (url: string, payload: object) => admin.send({ method: 'POST', url, payload });
    const secrets = ['sk-first-0123456789', 'sk-second-123456789', 'sk-third-2345678901'];
    const channel = { ...fields, key: secrets.join('\n') };
    const made = await post('/api/channel/', { mode: 'multi_to_single', multi_key_mode: 'polling', channel });
    const info = { is_multi_key: true, multi_key_size: 3, multi_key_mode: 'polling' };
    expect(made.body.data).toMatchObject([{ key: '', channel_info: info }]);
    const { id } = (made.body.data as ChannelData[])[0]!;
    const manage = async (action: string, more: object = {}) =>
      (await post('/api/channel/multi_key/manage', { channel_id: id, action, ...more })).body;
    const states = async () => {
      const { data } = await manage('get_key_status');
      return (data as ChannelKeysPage).keys.map(({ key_preview: hint, status }) => `${hint} ${status}`);
    };
    expect(await states()).toEqual(['••••6789 1', '••••6789 1', '••••8901 1']);
    expect(await manage('disable_key', { key_index: 1 })).toMatchObject({ success: true, data: null });
    expect(await states()).toEqual(['••••6789 1', '••••6789 2', '••••8901 1']);
    const off = await manage('get_key_status', { page: 1, page_size: 1, status: 2 });
    expect(off.data).toMatchObject({ total: 1, total_pages: 1, enabled_count: 2, manual_disabled_count: 1 });
    expect(await manage('delete_key', { key_index: 0 })).toMatchObject({ success: true });
    expect(await states()).toEqual(['••••6789 2', '••••8901 1']);
    await admin.must(channelApi.update, {
      id,
      key: 'sk-a-new-one-345678901\nsk-second-123456789',
      key_mode: 'append',
    });
    expect(await states()).toEqual(['••••6789 2', '••••8901 1', '••••8901 1']);
    expect(await manage('disable_all_keys')).toMatchObject({ success: true });
    expect(await admin.must(channelApi.get, { id })).toMatchObject({ status: 3 });
    expect(await manage('enable_all_keys')).toMatchObject({ success: true });
    expect(await admin.must(channelApi.get, { id })).toMatchObject({ status: 1 });
    expect(await manage('delete_disabled_keys')).toMatchObject({ data: 0 });
    expect(await manage('enable_key', { key_index: 9 })).toMatchObject({ code: 'channel_key_unknown' });
    const single = await make();
    const refused = await post('/api/channel/multi_key/manage', {
      channel_id: single,
      action: 'get_key_status',
    });
    expect(refused.body.code).toBe('channel_one_key');
    const answers = JSON.stringify([made.body, await manage('get_key_status'), await list()]);
    for (const secret of secrets) expect(answers).not.toContain(secret.slice(3, 12));
  });

  it('take back the whole object that was read, and refuse a member beside it by name', async () => {
    const id = await make();
    await channels.update(house.core.store.db, id, { balance: 77 });
    const read = (await admin.must(channelApi.get, { id })) as object;
    const put = (payload: object) => admin.send({ method: 'PUT', url: '/api/channel/', payload });
    expect((await put({ ...read, name: 'renamed', balance: 0 })).body.success).toBe(true);
    const renamed = { ...read, name: 'renamed' };
    expect(await admin.must(channelApi.get, { id })).toEqual(renamed);
    const refused = (await put({ ...read, name: 'again', retry_override: { a: 'b' } })).body;
    expect(refused).toMatchObject({ success: false, code: 'unknown_members' });
    expect(refused.message).toContain('retry_override');
    expect(await admin.must(channelApi.get, { id })).toEqual(renamed);
  });

  it('show the request that a form would send, or why it cannot be sent', async () => {
    const form = { type: 1, name: 'x', key: 'sk-of-the-vendor', models: 'm', param_override: '{"seed":7}' };
    const shown = (await admin.must(channelApi.preview, form)) as { body: string };
    expect(JSON.parse(shown.body)).toMatchObject({ model: 'm', seed: 7 });
    expect(JSON.stringify(shown)).not.toContain('sk-of-the-vendor');
    const circle = await admin.call(channelApi.preview, { ...form, models: '..' });
    expect(circle.body).toMatchObject({ success: false, data: null });
    expect(circle.body.message).not.toBe('');
  });

  it('return pages from 0 and the number of channels', async () => {
    const ids = [await make(), await make(), await make()];
    expect((await list({ p: 0, page_size: 2, id_sort: true })).rows.map(({ id }) => id)).toEqual([
      ids[2],
      ids[1],
    ]);
    const last = await list({ p: 1, page_size: 2, id_sort: true });
    expect(last.rows.map(({ id }) => id)).toEqual([ids[0]]);
    expect(last.total).toBe(3);
    expect((await list({ page_size: 100_000 })).rows).toHaveLength(3);
  });

  it('keep an imported row usable and editable, but create no copy of one without effect', async () => {
    const id = await make();
    const setting = '{"azure_responses_version":"preview"}';
    await channels.update(house.core.store.db, id, { setting });
    await admin.must(channelApi.update, { id, name: 'renamed', setting });
    await admin.must(channelApi.update, {
      id,
      setting: '{"azure_responses_version":"preview","drain":true}',
    });
    const template = '{member} 在当前版本没有作用，请删除后再保存';
    const words = template.replace('{member}', 'setting 中的 azure_responses_version');
    expect((await admin.call(channelApi.copy, { id })).body.message).toBe(words);
    const changed = await admin.call(channelApi.update, { id, setting: '{"azure_responses_version":"v1"}' });
    expect(changed.body.message).toBe(words);
    await admin.must(channelApi.update, { id, setting: '{"drain":true}' });
    await admin.must(channelApi.copy, { id });
  });

  it.each([
    ['zh-CN', 'main_复制'],
    ['en', 'main_copy'],
  ])('name a copy in the language of the user who copies: %s', async (language, name) => {
    const url = `/api/channel/copy/${await make()}`;
    const { body } = await admin.send({ method: 'POST', url, headers: { 'accept-language': language } });
    const { id } = body.data as { id: number };
    expect(await admin.must(channelApi.get, { id })).toMatchObject({ name });
  });

  it('create, change, copy and delete, and routing uses the change at once', async () => {
    const { routing } = house.core;
    const id = await make();
    expect(routing.modelsOf('default')).toEqual(['gpt-4o', 'gpt-4o-mini']);
    expect(await admin.must(channelApi.enabledModels, {})).toEqual(['gpt-4o', 'gpt-4o-mini']);
    expect(await admin.must(channelApi.update, { id, models: 'o1', priority: 7 })).toMatchObject({
      models: 'o1',
      priority: 7,
      name: 'main',
    });
    expect(routing.modelsOf('default')).toEqual(['o1']);
    const copy = (await admin.must(channelApi.copy, { id, suffix: ' 2' })) as { id: number };
    expect(await admin.must(channelApi.get, { id: copy.id })).toMatchObject({ name: 'main 2', models: 'o1' });
    await admin.must(channelApi.update, { id, status: 2 });
    expect(await admin.must(channelApi.removeDisabled, {})).toBe(1);
    expect((await admin.call(channelApi.get, { id })).body).toMatchObject({
      success: false,
      code: 'channel_not_found',
    });
    expect(await admin.must(channelApi.remove, { id: copy.id })).toBeNull();
    expect((await admin.call(channelApi.remove, { id: copy.id })).body.success).toBe(false);
    expect(routing.modelsOf('default')).toEqual([]);
  });

  it('refuse with the messages of the API', async () => {
    const refusal = async (fields: Partial<ChannelData>) =>
      (await admin.call(channelApi.create, input(fields))).body.message;
    expect(await refusal({ name: '' })).toBe('请填写渠道名称和渠道密钥！');
    expect(await refusal({ models: '' })).toBe('请至少选择一个模型！');
    expect(await refusal({ type: 41, base_url: '' })).not.toBe('');
    expect((await list()).total).toBe(0);
    expect((await admin.call(channelApi.create, { ...input(), priority: -1_000 })).body.success).toBe(false);
    expect((await admin.call(channelApi.create, { ...input(), weight: -1 })).body.success).toBe(false);
  });

  it('refuse null where a number is meant, instead of saving 0', async () => {
    const id = await make();
    await admin.must(channelApi.update, { id, priority: 7, weight: 3 });
    const put = (payload: object) => admin.send({ method: 'PUT', url: '/api/channel/', payload });
    for (const change of [
      { priority: null },
      { weight: null },
      { weight: '' },
      { auto_ban: null },
      { type: [] },
    ])
      expect((await put({ id, ...change })).body.success).toBe(false);
    expect(await admin.must(channelApi.get, { id })).toMatchObject({ priority: 7, weight: 3, auto_ban: 1 });
    await admin.must(channelApi.remove, { id });
  });

  it('change many at once: batches, tags, repair', async () => {
    const [a, b, c] = [await make(), await make(), await make()];
    expect(await admin.must(channelApi.tagMany, { ids: [a, b], tag: 'eu' })).toBe(2);
    await admin.must(channelApi.disableTag, { tag: 'eu' });
    expect((await list()).rows.map(({ status }) => status).toSorted((x, y) => x - y)).toEqual([1, 2, 2]);
    await admin.must(channelApi.editTag, { tag: 'eu', new_tag: 'de', weight: 4, models: '', groups: 'vip' });
    await admin.must(channelApi.enableTag, { tag: 'de' });
    expect(await admin.must(channelApi.get, { id: a })).toMatchObject({
      tag: 'de',
      weight: 4,
      group: 'vip',
      models: 'gpt-4o,gpt-4o-mini',
    });
    expect((await list({ tag_mode: true })).rows.map(({ id }) => id)).toEqual([b, a]);
    await admin.must(channelApi.tagMany, { ids: [a], tag: null });
    expect(await admin.must(channelApi.get, { id: a })).toMatchObject({ tag: null });
    expect((await admin.call(channelApi.enableTag, { tag: '' })).body.message).toBe('tag不能为空');
    expect(await admin.must(channelApi.fix, {})).toBe(3);
    expect(await admin.must(channelApi.removeMany, { ids: [a, b, c, 9_999] })).toBe(3);
  });

  it('describe the kinds of providers and their models', async () => {
    const types = (await admin.must(channelApi.types, {})) as ChannelTypeData[];
    expect(types.map(({ type }) => type)).toContain(43);
    expect(types.find(({ id }) => id === 'coze')).toMatchObject({
      name: { zh: '扣子', en: 'Coze' },
      other_hint: { zh: '智能体（Bot）的 ID', en: 'id of the bot' },
      address_hint: null,
    });
    expect(types.find(({ id }) => id === 'azure')).toMatchObject({
      name: { zh: 'Azure OpenAI', en: 'Azure OpenAI' },
      key_hint: null,
      address_hint: { placeholder: 'https://NAME.openai.azure.com' },
    });
    const models = (await admin.must(channelApi.models, {})) as { id: string; object: string }[];
    expect(models.find(({ id }) => id === 'gpt-4o')).toMatchObject({
      object: 'model',
      created: 1_626_777_600,
    });
  });
});

describe('the order of a list', () => {
  it('is that of a column of the list; other names are refused with the reason', async () => {
    const good = await admin.call(channelApi.list, { sort: '-priority' });
    expect(good.body.success).toBe(true);
    for (const sort of ['key_sealed', 'id; drop table channels', '--id']) {
      const bad = await admin.call(channelApi.list, { sort });
      expect(bad.body).toMatchObject({ success: false, code: 'invalid_input' });
    }
  });
});

describe('calls that query an upstream', () => {
  it('test one channel and return the seconds, on success and failure alike', async () => {
    const id = await make();
    const good = await admin.call(channelApi.test, { id });
    expect(good.body).toMatchObject({ success: true, time: expect.any(Number) as number });
    const { items } = await house.core.logs.ownList(
      admin.userId,
      {
        type: 2,
        start_timestamp: 0,
        end_timestamp: 0,
        token_name: '',
        model_name: '',
        group: '',
        request_id: '',
      },
      { page: 1, pageSize: 10 },
    );
    expect(items[0]).toMatchObject({ content: '模型测试', model_name: 'gpt-4o' });
    upstream.script(faults.refuse(401, { message: 'no such key' }));
    const bad = await admin.call(channelApi.test, { id, model: 'gpt-4o-mini' });
    expect(bad.body).toMatchObject({
      success: false,
      message: '上游返回 401：no such key',
      time: expect.any(Number) as number,
    });
    expect((await list()).rows[0]!.status).toBe(1);
  });

  it('test what a form holds before it is saved, with the stored key where none is typed', async () => {
    const form = { ...input(), key: 'sk-typed', models: 'gpt-4o' };
    expect((await admin.call(channelApi.testWith, form)).body).toMatchObject({
      success: true,
      time: expect.any(Number) as number,
    });
    expect((await list()).rows).toEqual([]);
    const id = await make();
    await admin.must(channelApi.testWith, { ...form, id, key: '' });
    expect(upstream.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer sk-typed',
      `Bearer ${key}`,
    ]);
    // The stored key is sent only to its own host.
    const elsewhere = { ...form, id, key: '', base_url: 'http://evil.example' };
    expect((await admin.call(channelApi.testWith, elsewhere)).body).toMatchObject({
      success: false,
      code: 'channel_key_required',
    });
    upstream.script(faults.refuse(401, { message: 'no such key' }));
    const bad = await admin.call(channelApi.testWith, { ...form, id });
    expect(bad.body).toMatchObject({ success: false, message: '上游返回 401：no such key' });
    // The test of a form does not change the test result of the saved channel.
    expect((await list()).rows).toMatchObject([{ id, test_time: 0, test_outcome: 0, name: 'main' }]);
    const filter = {
      type: 2,
      start_timestamp: 0,
      end_timestamp: 0,
      token_name: '',
      model_name: '',
      group: '',
      request_id: '',
    };
    const { items } = await house.core.logs.ownList(admin.userId, filter, { page: 1, pageSize: 2 });
    expect(items.map(({ content }) => content)).toEqual(['模型测试', '模型测试']);
  });

  it('need no key where servers have none: creation, models and tests', async () => {
    const form = { type: 9116, name: 'llama.cpp', models: 'llama3', base_url: upstream.url };
    await admin.must(channelApi.testWith, form);
    const [made] = (await admin.must(channelApi.create, form)) as ChannelData[];
    await admin.must(channelApi.test, { id: made!.id });
    await admin.must(channelApi.fetchModels, { id: made!.id });
    await admin.must(channelApi.fetchModelsWith, { type: 9116, base_url: upstream.url });
    expect(upstream.requests).toHaveLength(4);
    for (const { headers } of upstream.requests) expect(headers).not.toHaveProperty('authorization');
    for (const route of [channelApi.create, channelApi.testWith, channelApi.fetchModelsWith])
      expect((await admin.call(route, { ...form, type: 1 })).body).toMatchObject({ success: false });
  });

  it('test all in the background, one at a time', async () => {
    await make();
    upstream.script('stall-before-headers');
    expect(await admin.must(channelApi.testAll, {})).toBeNull();
    await upstream.arrived(0);
    expect((await admin.call(channelApi.testAll, {})).body.message).toBe('测试已在运行中');
    expect(await admin.must(channelApi.testProgress, {})).toEqual({
      running: true,
      total: 1,
      done: 0,
      failed: 0,
      failures: [],
    });
    await admin.must(channelApi.stopTest, {});
    await upstream.close();
    await expect
      .poll(async () => (await admin.must(channelApi.testProgress, {})) as { running: boolean })
      .toMatchObject({ running: false, total: 1, done: 1, failed: 1 });
    upstream = await startFakeUpstream();
  });

  it('fetch one balance or all', async () => {
    const id = await make();
    expect((await admin.call(channelApi.updateBalance, { id })).body).toMatchObject({
      success: true,
      balance: 100,
    });
    expect(await admin.must(channelApi.updateBalances, {})).toBeNull();
    expect(await admin.must(channelApi.get, { id })).toMatchObject({ balance: 100 });
  });

  it('fetch models of a stored channel, or with a key from the form', async () => {
    const id = await make();
    expect(await admin.must(channelApi.fetchModels, { id })).toEqual(['fake-model', 'fake-embedding']);
    const typed = { base_url: upstream.url, type: 1, key: 'sk-typed' };
    expect(await admin.must(channelApi.fetchModelsWith, typed)).toEqual(['fake-model', 'fake-embedding']);
    expect(upstream.requests[1]!.headers.authorization).toBe('Bearer sk-typed');
    upstream.script(faults.refuse(403));
    const refused = await admin.call(channelApi.fetchModelsWith, typed);
    expect(refused.status).toBe(500);
    expect(refused.body).toMatchObject({ success: false });
    expect(String(refused.body.message)).toContain('403');
  });
});
