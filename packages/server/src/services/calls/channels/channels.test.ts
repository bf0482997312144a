import { randomBytes } from 'node:crypto';
import { AppError, channelInput, type ChannelInput, channelStatus, keylessTypes } from '@tollgate/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { createSealer } from '../../../lib/seal.ts';
import { channelTypes } from '../../../relay/registry.ts';
import { eachDialect } from '../../../store/each-dialect.ts';
import { abilities, changeMarks, channels as channelRows, type Db } from '../../../store/index.ts';
import { type ChannelNotice, type Channels, createChannels } from './index.ts';
import { createAudit } from '../../site/audit/index.ts';

const key = 'sk-0123456789abcdef0123456789abcdef';
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

const inputOf = (fields: Record<string, unknown> = {}): ChannelInput =>
  channelInput.parse({ type: 1, name: 'main', key, models: 'gpt-4o,gpt-4o-mini', ...fields });

/** The code of the refusal that ends the work. */
const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'accepted',
    (error: unknown) => (error instanceof AppError ? error.code : `other: ${String(error)}`),
  );

eachDialect('channels', ({ open }) => {
  let db: Db;
  let service: Channels;
  let notices: ChannelNotice[];
  let changes: number;
  let now: number;

  const build = (masterKey: Buffer): Channels =>
    createChannels({
      db,
      sealer: createSealer(masterKey),
      types: channelTypes,
      audit: createAudit({ db, reports: db, clock: () => now * 1000 }),
      clock: () => now * 1000,
      log: quiet,
      onChange: async () => {
        changes += 1;
      },
      announce: (notice) => notices.push(notice),
    });

  beforeEach(async () => {
    ({ db } = await open());
    notices = [];
    changes = 0;
    now = 1_700_000_000;
    service = build(randomBytes(32));
  });

  const make = async (fields: Record<string, unknown> = {}) => (await service.create(inputOf(fields)))[0]!;
  const abilityRows = async () =>
    (
      await db
        .selectFrom('abilities')
        .selectAll()
        .orderBy('channel_id')
        .orderBy('group')
        .orderBy('model')
        .execute()
    ).map((row) => `${row.channel_id} ${row.group}/${row.model} ${row.enabled}`);

  describe('creating one', () => {
    it('keeps the key sealed, finds the channel by it and never shows it', async () => {
      const made = await make();
      expect(made).toMatchObject({
        key: '',
        key_hint: 'sk-••••cdef',
        status: 1,
        created_time: now,
        group: 'default',
      });
      const row = await channelRows.find(db, made.id);
      expect(JSON.stringify(row)).not.toContain(key);
      const answers = [
        await service.get(made.id),
        (await service.list({ page: 0, pageSize: 10, byId: false, byTag: false })).items,
        await service.search({ keyword: key, group: '', model: '', byId: false, byTag: false }),
      ];
      expect(answers[2]).toHaveLength(1);
      expect(JSON.stringify(answers)).not.toContain('0123456789');
      expect((await service.load(made.id))?.channel.key).toBe(key);
    });

    it('creates one channel for each line of keys', async () => {
      const made = await service.create(inputOf({ key: 'sk-a\nsk-b\n\nsk-a' }));
      expect(made.map(({ name }) => name)).toEqual(['main', 'main']);
      const keys = await Promise.all(made.map(({ id }) => service.load(id)));
      expect(keys.map((one) => one?.channel.key)).toEqual(['sk-a', 'sk-b']);
    });

    it('leaves out of an address what the calls add to it, also in a change', async () => {
      const made = await make({ base_url: 'https://own.test/v1/' });
      expect(made.base_url).toBe('https://own.test');
      const changed = await service.update({ id: made.id, base_url: 'https://own.test/v1/chat/completions' });
      expect(changed.base_url).toBe('https://own.test');
      expect((await service.load(made.id))?.channel.baseUrl).toBe('https://own.test');
    });

    it('leaves out of an address what the calls of another type add, when it is changed to that', async () => {
      const made = await make({ type: 24, base_url: 'https://own.test/v1' });
      expect(made.base_url).toBe('https://own.test/v1');
      const changed = await service.update({ id: made.id, type: 1, key: 'sk-new' });
      expect(changed.base_url).toBe('https://own.test');
    });

    it('refuses an incomplete one, and stores nothing then', async () => {
      expect(await refusal(service.create(inputOf({ name: ' ' })))).toBe('channel_incomplete');
      expect(await refusal(service.create(inputOf({ key: ' \n ' })))).toBe('channel_incomplete');
      expect(await refusal(service.create(inputOf({ models: '' })))).toBe('channel_models_missing');
      expect(await refusal(service.create(inputOf({ type: 9_998 })))).toBe('channel_type_unknown');
      const template = inputOf({ type: 58, base_url: 'https://own.test', other: '{"paths":7}' });
      expect(await refusal(service.create(template))).toBe('channel_member_type');
      expect(await channelRows.all(db)).toEqual([]);
      expect(changes).toBe(0);
    });

    it('creates one ability for each group and model, and notifies this and the other processes', async () => {
      const made = await make({ group: 'default,vip' });
      expect(await abilityRows()).toEqual(
        ['default/gpt-4o', 'default/gpt-4o-mini', 'vip/gpt-4o', 'vip/gpt-4o-mini'].map(
          (it) => `${made.id} ${it} 1`,
        ),
      );
      expect(changes).toBe(1);
      expect((await changeMarks.since(db, 0)).names).toEqual(['channels']);
    });
  });

  describe('of a vendor that closed', () => {
    it.each([11, 21])('none of type %i is created, by hand, from another type or as a copy', async (type) => {
      expect(await refusal(service.create(inputOf({ type })))).toBe('channel_type_closed');
      const { id } = await make();
      expect(await refusal(service.update({ id, type }))).toBe('channel_type_closed');
      await channelRows.update(db, id, { type });
      expect(await refusal(service.copy(id, { suffix: '2', resetBalance: true }))).toBe(
        'channel_type_closed',
      );
      expect(await channelRows.all(db)).toHaveLength(1);
    });

    it('an imported one is shown and can be edited', async () => {
      const { id } = await make();
      await channelRows.update(db, id, { type: 11 });
      expect(await service.update({ id, type: 11, name: 'old', key: 'sk-new' })).toMatchObject({
        type: 11,
        name: 'old',
      });
      expect(await service.get(id)).toMatchObject({ type: 11, name: 'old' });
    });
  });

  describe('changing one', () => {
    it('validates a template that was sent, and accepts other fields without one', async () => {
      const { id } = await make({ type: 58, base_url: 'https://own.test' });
      const wrong = '{"paths":{"openai-chat":"//evil.test"}}';
      expect(await refusal(service.update({ id, other: wrong }))).toBe('channel_member_type');
      await channelRows.update(db, id, { other: wrong });
      expect(await service.update({ id, name: 'new' })).toMatchObject({ name: 'new', other: wrong });
    });

    it('writes only what was sent, and the key only when there is one', async () => {
      const { id } = await make({ priority: 3, base_url: 'https://a.example', tag: 'eu' });
      const changed = await service.update({ id, name: 'new', key: '', weight: 7 });
      expect(changed).toMatchObject({
        name: 'new',
        weight: 7,
        priority: 3,
        base_url: 'https://a.example',
        tag: 'eu',
      });
      expect((await service.load(id))?.channel.key).toBe(key);
      await service.update({ id, key: 'sk-other', tag: '' });
      expect(await service.load(id)).toMatchObject({ channel: { key: 'sk-other', name: 'new' } });
      expect((await service.get(id)).tag).toBeNull();
    });

    it('never sends a stored key to a host from a model name', async () => {
      const { id } = await make({ type: 8, base_url: 'http://model:8000', models: 'gpt-4o' });
      for (const base_url of ['http://{model}:8000', 'http://{model}:8000/v1', 'http://mod{model}:8000']) {
        const change = { id, base_url, models: 'evil.example' };
        expect(await refusal(service.update(change))).toBe('channel_base_url_invalid');
      }
      expect((await service.get(id)).base_url).toBe('http://model:8000');
    });

    it.each([...keylessTypes])(
      'of a server of type %i may be without a key, and is moved without one',
      async (type) => {
        const { id, key_hint: hint } = await make({ type, key: '', base_url: 'http://own.example' });
        expect(hint).toBe('');
        expect((await service.load(id))?.channel.key).toBe('');
        expect((await service.loadAll()).map(({ status }) => status)).toEqual([channelStatus.enabled]);
        await service.update({ id, base_url: 'http://other.example' });
        const copy = await service.copy(id, { suffix: ' 2', resetBalance: true });
        expect((await service.load(copy))?.channel).toMatchObject({
          key: '',
          baseUrl: 'http://other.example',
        });
        // A type that needs a key requires one.
        expect(await refusal(service.update({ id, type: 1 }))).toBe('channel_key_required');
        expect(await refusal(service.update({ id, type: 1, key }))).toBe('accepted');
        expect(await refusal(service.update({ id, type, base_url: 'http://third.example' }))).toBe(
          'channel_key_required',
        );
      },
    );

    it.each([1, 14, 33, 57])('of type %i is refused without a key', async (type) => {
      expect(await refusal(make({ type, key: ' ' }))).toBe('channel_incomplete');
    });

    it('drafted from a form has the key of the form, else the stored one at its own host, and stores nothing', async () => {
      const { id } = await make({ base_url: 'https://own.example' });
      const before = await channelRows.find(db, id);
      const draft = (fields: Record<string, unknown>) =>
        service.draft({ ...inputOf({ key: '', ...fields }), id });
      expect((await draft({ base_url: 'https://own.example/v2', models: 'o1' })).channel).toMatchObject({
        id,
        key,
        baseUrl: 'https://own.example/v2',
      });
      expect(await refusal(draft({ base_url: 'https://evil.example' }))).toBe('channel_key_required');
      expect((await draft({ base_url: 'https://new.example', key: 'sk-new' })).channel).toMatchObject({
        key: 'sk-new',
        baseUrl: 'https://new.example',
      });
      const made = await service.draft(
        inputOf({ key: 'sk-one\nsk-two', setting: '{"proxy":"http://a:b@p.example"}' }),
      );
      expect(made.channel).toMatchObject({
        id: 0,
        key: 'sk-one',
        setting: { proxy: 'http://a:b@p.example' },
      });
      expect(await channelRows.find(db, id)).toEqual(before);
      expect(await channelRows.all(db)).toHaveLength(1);
    });

    it('never sends a stored key to another region, nor to another host of its type', async () => {
      const { id } = await make({ type: 41, other: 'us-east1' });
      expect(await refusal(service.update({ id, other: 'europe-west1' }))).toBe('channel_key_required');
      expect(await refusal(service.update({ id, other: 'europe-west1', key }))).toBe('accepted');
      const { id: openai } = await make({ base_url: 'https://own.example' });
      expect(await refusal(service.update({ id: openai, type: 10 }))).toBe('channel_key_required');
    });

    it('never sends a stored key to another host', async () => {
      const { id } = await make();
      expect(await refusal(service.update({ id, base_url: 'https://evil.example' }))).toBe(
        'channel_key_required',
      );
      expect(await refusal(service.update({ id, type: 8, base_url: 'https://evil.example' }))).toBe(
        'channel_key_required',
      );
      expect((await service.get(id)).base_url).toBe('');
      await service.update({ id, base_url: 'https://api.openai.com/v2/' });
      expect((await service.get(id)).base_url).toBe('https://api.openai.com/v2');
      await service.update({ id, base_url: 'https://other.example', key: 'sk-for-other' });
      expect((await service.get(id)).base_url).toBe('https://other.example');
    });

    it('rebuilds its abilities when groups, models or status change', async () => {
      const { id } = await make();
      await service.update({ id, models: 'o1', group: 'vip' });
      expect(await abilityRows()).toEqual([`${id} vip/o1 1`]);
      await service.update({ id, status: channelStatus.disabled });
      expect(await abilityRows()).toEqual([`${id} vip/o1 0`]);
      expect(await abilities.enabledModels(db)).toEqual([]);
    });

    it('refuses invalid fields and leaves everything as it was', async () => {
      const made = await make();
      expect(await refusal(service.update({ id: made.id, name: 'x', model_mapping: '{' }))).toBe(
        'channel_json_invalid',
      );
      expect(await service.get(made.id)).toEqual(made);
      expect(await refusal(service.update({ id: 9_999, name: 'x' }))).toBe('channel_not_found');
    });

    it('can disable a channel whose other fields are damaged', async () => {
      const { id } = await make();
      await channelRows.update(db, id, { models: '', model_mapping: '{' });
      expect((await service.update({ id, status: channelStatus.disabled })).status).toBe(
        channelStatus.disabled,
      );
    });

    it('reserves status 3 for Tollgate', async () => {
      const { id } = await make();
      expect((await service.update({ id, status: channelStatus.autoDisabled })).status).toBe(
        channelStatus.disabled,
      );
      expect((await make({ status: 3 })).status).toBe(channelStatus.disabled);
    });
  });

  it('are ordered by a column on request, with equal ones newest first', async () => {
    const a = await make({ name: 'a', priority: 1, weight: 5 });
    const b = await make({ name: 'b', priority: 9, weight: 5 });
    const c = await make({ name: 'c', priority: 5, weight: 7 });
    const idsBy = async (by: 'name' | 'weight' | 'priority', descending: boolean) => {
      const order = { byId: false, byTag: false, sort: { by, descending } };
      const listed = await service.list({ page: 0, pageSize: 10, ...order });
      const found = await service.search({ keyword: '', group: '', model: '', ...order });
      expect(found.map(({ id }) => id)).toEqual(listed.items.map(({ id }) => id));
      return listed.items.map(({ id }) => id);
    };
    expect(await idsBy('name', false)).toEqual([a.id, b.id, c.id]);
    expect(await idsBy('name', true)).toEqual([c.id, b.id, a.id]);
    expect(await idsBy('weight', false)).toEqual([b.id, a.id, c.id]);
    expect(await idsBy('priority', true)).toEqual([b.id, c.id, a.id]);
  });

  it('copies one with its key and without its history', async () => {
    const { id } = await make({ tag: 'eu', group: 'vip' });
    await service.noteTest(id, 321, { cause: 'timeout', status: 0, message: '', model: 'm' });
    await service.noteBalance(id, 12.5);
    const copyId = await service.copy(id, { suffix: '_复制', resetBalance: true });
    expect(await service.get(copyId)).toMatchObject({
      name: 'main_复制',
      tag: 'eu',
      balance: 0,
      test_time: 0,
      response_time: 0,
      test_outcome: 0,
      test_failure: null,
      used_quota: 0,
    });
    expect((await service.load(copyId))?.channel.key).toBe(key);
    expect(await abilityRows()).toContain(`${copyId} vip/gpt-4o 1`);
    expect(await refusal(service.copy(9_999, { suffix: '', resetBalance: true }))).toBe('channel_not_found');
  });

  it('deletes channels with their abilities', async () => {
    const [a, b, c, d] = [await make(), await make(), await make({ status: 2 }), await make()];
    await service.autoDisable(d.id, 'bad key');
    expect(await service.removeDisabled()).toBe(2);
    expect(await service.remove([a.id, c.id, 9_999])).toBe(1);
    expect((await channelRows.all(db)).map(({ id }) => id)).toEqual([b.id]);
    expect(new Set((await abilityRows()).map((row) => row.split(' ')[0]))).toEqual(new Set([String(b.id)]));
  });

  it('shows nobody the name and password of an address that came along, in no answer and no record', async () => {
    const addresses = [
      'https://user:hunter2@a.example/v1',
      'https://hunter2@a.example/v1',
      'https://:hunter2@a.example/v1',
      'https://user:hunter2@other@a.example/v1',
      'https:user:hunter2@a.example/v1',
      'https:\\\\user:hunter2@a.example/v1',
      'HTTPS://user:hunter2@a.example/v1',
      'https://user:hunt\ter2@a.example/v1',
    ];
    const { id } = await make({ base_url: 'https://a.example/v1' });
    for (const base_url of addresses) {
      await channelRows.update(db, id, { base_url });
      const found = { group: '', model: '', byId: false, byTag: false };
      const answers = [
        await service.get(id),
        (await service.list({ page: 0, pageSize: 10, byId: false, byTag: false })).items,
        await service.search({ keyword: '', ...found }),
        await service.load(id),
        await service.update({ id, name: `main ${base_url.length}` }),
        await service.update({ id, base_url: 'https://a.example/v2' }),
        await db.selectFrom('audit').selectAll().execute(),
      ];
      expect(JSON.stringify(answers)).not.toMatch(/hunt(?:er2|\\ter2)/);
      expect((await service.get(id)).base_url).toBe('https://a.example/v2');
    }
  });

  describe('a tag', () => {
    it('is added, sets the status of all its channels, and is edited', async () => {
      const [a, b, c] = [await make(), await make(), await make({ tag: 'us' })];
      expect(await service.setTag([a.id, b.id, 9_999], 'eu')).toBe(2);
      await service.setTagStatus('eu', false);
      expect(await abilities.enabledModels(db)).toEqual(['gpt-4o', 'gpt-4o-mini']);
      expect((await service.get(a.id)).status).toBe(channelStatus.disabled);
      expect((await service.get(c.id)).status).toBe(channelStatus.enabled);
      await service.editTag({ tag: 'eu', newTag: 'de', priority: 4, models: 'o1', groups: 'vip' });
      expect(await service.get(b.id)).toMatchObject({
        tag: 'de',
        priority: 4,
        models: 'o1',
        group: 'vip',
        weight: 0,
      });
      await service.setTagStatus('de', true);
      expect(await abilityRows()).toContain(`${a.id} vip/o1 1`);
      expect(await service.get(c.id)).toMatchObject({ tag: 'us', models: 'gpt-4o,gpt-4o-mini' });
    });

    it('must not be empty, and an invalid edit changes none of its channels', async () => {
      const [a, b] = [await make({ tag: 'eu' }), await make({ tag: 'eu' })];
      expect(await refusal(Promise.resolve().then(() => service.setTagStatus(' ', true)))).toBe(
        'channel_tag_empty',
      );
      expect(await refusal(service.editTag({ tag: 'eu', priority: 9, modelMapping: '{' }))).toBe(
        'channel_json_invalid',
      );
      expect([(await service.get(a.id)).priority, (await service.get(b.id)).priority]).toEqual([0, 0]);
    });
  });

  it('rebuilds lost abilities', async () => {
    const [a, b] = [await make({ models: 'o1' }), await make({ models: 'o1', status: 2 })];
    await abilities.removeAll(db);
    expect(await service.fix()).toBe(2);
    expect(await abilityRows()).toEqual([`${a.id} default/o1 1`, `${b.id} default/o1 0`]);
  });

  describe('lists', () => {
    it('go by priority, newest first, or by id; pages count from 0', async () => {
      const [a, b, c] = [await make(), await make({ priority: 5 }), await make()];
      const ids = async (page: number, byId: boolean) =>
        (await service.list({ page, pageSize: 2, byId, byTag: false })).items.map(({ id }) => id);
      expect(await ids(0, false)).toEqual([b.id, c.id]);
      expect(await ids(1, false)).toEqual([a.id]);
      expect(await ids(0, true)).toEqual([c.id, b.id]);
      expect((await service.list({ page: 9, pageSize: 2, byId: false, byTag: false })).total).toBe(3);
    });

    it('page over tags in tag mode and return all channels of these tags', async () => {
      for (const tag of ['b', 'a', 'b', 'c', '']) await make({ tag });
      const { items, total } = await service.list({ page: 0, pageSize: 2, byId: true, byTag: true });
      expect(items.map(({ tag }) => tag ?? '').toSorted((a, b) => a.localeCompare(b))).toEqual([
        'a',
        'b',
        'b',
      ]);
      expect(total).toBe(3);
    });

    it('are searched by id, name, address, group and model, wildcards taken literally', async () => {
      const a = await make({ name: 'alpha 100%', models: 'o1' });
      const b = await make({ name: 'beta', base_url: 'https://b.example', group: 'vip' });
      const found = async (search: { keyword?: string; group?: string; model?: string }) =>
        (
          await service.search({ keyword: '', group: '', model: '', byId: true, byTag: false, ...search })
        ).map(({ id }) => id);
      expect(await found({ keyword: String(a.id) })).toContain(a.id);
      expect(await found({ keyword: 'ALPHA' })).toEqual([a.id]);
      expect(await found({ keyword: '100%' })).toEqual([a.id]);
      expect(await found({ keyword: '_' })).toEqual([]);
      expect(await found({ keyword: 'b.example' })).toEqual([b.id]);
      expect(await found({ group: 'vip' })).toEqual([b.id]);
      expect(await found({ model: 'o1' })).toEqual([a.id]);
      expect(await found({})).toEqual([b.id, a.id]);
    });
  });

  describe('automatic disabling', () => {
    it('happens once for many failures, with reason and time, and is announced', async () => {
      const { id } = await make({ name: '主' });
      const results = await Promise.all([1, 2, 3].map(() => service.autoDisable(id, 'invalid key')));
      expect(results.filter(Boolean)).toHaveLength(1);
      const channel = await service.get(id);
      expect(channel.status).toBe(channelStatus.autoDisabled);
      expect(JSON.parse(channel.other_info)).toEqual({ status_reason: 'invalid key', status_time: now });
      expect(await abilities.enabledModels(db)).toEqual([]);
      expect(notices).toEqual([{ id, name: '主', status: 3, reason: 'invalid key' }]);
    });

    it('does not change a channel that a user disabled', async () => {
      const { id } = await make({ status: 2 });
      expect(await service.autoDisable(id, 'x')).toBe(false);
      expect(await service.autoEnable(id)).toBe(false);
      expect((await service.get(id)).status).toBe(channelStatus.disabled);
    });

    it('is undone by Tollgate or by a user, and the reason is removed with it', async () => {
      const { id } = await make();
      await service.autoDisable(id, 'x');
      expect(await service.autoEnable(id)).toBe(true);
      expect(await service.get(id)).toMatchObject({ status: 1, other_info: '' });
      await service.autoDisable(id, 'x');
      expect(await service.update({ id, status: 1 })).toMatchObject({ status: 1, other_info: '' });
      expect(await abilities.enabledModels(db)).toEqual(['gpt-4o', 'gpt-4o-mini']);
    });
  });

  describe('the password of a proxy', () => {
    const proxied = (proxy: string, more: object = {}) => JSON.stringify({ proxy, ...more });
    const findProxyAddress = async (id: number) => (await service.load(id))?.channel.setting.proxy;
    const shown = async (id: number) => JSON.parse((await service.get(id)).setting) as object;
    const stored = async () => JSON.stringify(await db.selectFrom('channels').select('setting').execute());

    it('is stored sealed, shown as a mask, and used', async () => {
      for (const [proxy, mask] of [
        ['http://user:a-pass@proxy.example:3128', 'http://user:••••@proxy.example:3128'],
        ['socks5h://user:a-pass@10.0.0.1:1080', 'socks5h://user:••••@10.0.0.1:1080'],
        // Forms that URL parsers also accept.
        ['http:user:a-pass@proxy.example', 'http://user:••••@proxy.example'],
        ['http://us@er:a-pass@proxy.example', 'http://us%40er:••••@proxy.example'],
      ] as const) {
        const { id, setting } = await make({ setting: proxied(proxy, { drain: true }) });
        expect(await stored()).not.toContain('a-pass');
        expect(JSON.parse(setting)).toEqual({ proxy: mask, drain: true });
        expect(await shown(id)).toEqual({ proxy: mask, drain: true });
        expect(URL.parse((await findProxyAddress(id)) ?? '')?.password).toBe('a-pass');
        const copy = await service.copy(id, { suffix: ' 2', resetBalance: false });
        expect(await findProxyAddress(copy)).toBe(await findProxyAddress(id));
      }
    });

    it('is kept when its mask is sent back for the same proxy, and not for any other', async () => {
      const { id } = await make({ setting: proxied('http://user:p%40ss@proxy.example:3128') });
      const before = await findProxyAddress(id);
      const send = (proxy: string) => service.update({ id, setting: proxied(proxy, { drain: true }) });
      await send('http://user:••••@proxy.example:3128');
      expect(await findProxyAddress(id)).toBe(before);
      for (const proxy of [
        'http://user:••••@evil.example:3128',
        'http://user:••••@proxy.example:3129',
        'http://other:••••@proxy.example:3128',
        'https://user:••••@proxy.example:3128',
        'socks5://user:%E2%80%A2%E2%80%A2%E2%80%A2%E2%80%A2@proxy.example:3128',
      ])
        expect(await refusal(send(proxy)), proxy).toBe('channel_proxy_password_required');
      expect(await findProxyAddress(id)).toBe(before);
      expect(await refusal(make({ setting: proxied('http://user:••••@proxy.example') }))).toBe(
        'channel_proxy_password_required',
      );
      await send('http://user:other@evil.example');
      expect(await findProxyAddress(id)).toBe('http://user:other@evil.example/');
      await send('http://proxy.example');
      expect(await findProxyAddress(id)).toBe('http://proxy.example');
      await service.update({ id, priority: 3 });
      expect(await stored()).not.toContain('proxy_password');
    });

    it('sealed for one channel does not open for another', async () => {
      const { id } = await make({ setting: proxied('http://user:one@proxy.example') });
      const other = await make({ setting: proxied('http://user:two@proxy.example') });
      const row = (await channelRows.find(db, id))!;
      await channelRows.update(db, other.id, { setting: row.setting });
      expect(await refusal(service.load(other.id))).toBe('channel_key_unreadable');
      await channelRows.update(db, other.id, { setting: '', key_sealed: row.key_sealed });
      expect(await refusal(service.load(other.id))).toBe('channel_key_unreadable');
    });
  });

  describe('secrets in headers', () => {
    const headers = {
      'x-tenant': 'seven',
      'x-access-token': 'literal-7f3a',
      Authorization: 'Token {api_key}',
    };
    const sent = async (id: number) =>
      Object.fromEntries(
        ((await service.load(id))?.channel.headerOverride?.sets ?? []).map(({ name, text }) => [name, text]),
      );
    const shown = async (id: number) =>
      JSON.parse((await service.get(id)).header_override) as Record<string, string>;
    const texts = async () =>
      JSON.stringify([
        await db.selectFrom('channels').selectAll().execute(),
        await db.selectFrom('audit').selectAll().execute(),
        await service.list({ page: 0, pageSize: 10, byId: true, byTag: false, sort: undefined }),
        await service.search({ keyword: '', group: '', model: '', byId: true, byTag: false }),
      ]);

    it('are stored sealed, shown as a mask, and sent', async () => {
      const { id } = await make({ header_override: JSON.stringify(headers) });
      const copy = await service.copy(id, { suffix: ' 2', resetBalance: false });
      for (const each of [id, copy]) {
        expect(await sent(each)).toEqual(headers);
        expect(await shown(each)).toEqual({
          ...headers,
          'x-access-token': expect.stringMatching(/^••••[0-9a-f]{4}$/),
        });
      }
      expect(await texts()).not.toContain('literal-7f3a');
    });

    it('are kept when their mask is sent back, and changed by another value', async () => {
      const { id } = await make({ header_override: JSON.stringify(headers) });
      const save = async (change: object) =>
        service.update({ id, header_override: JSON.stringify({ ...(await shown(id)), ...change }) });
      await save({ 'x-tenant': 'eight' });
      expect(await sent(id)).toEqual({ ...headers, 'x-tenant': 'eight' });
      await save({ 'x-api-key': 'literal-second' });
      expect(await sent(id)).toMatchObject({
        'x-access-token': 'literal-7f3a',
        'x-api-key': 'literal-second',
      });
      const { 'x-access-token': _first, ...others } = await shown(id);
      await service.update({ id, header_override: JSON.stringify(others) });
      expect(await sent(id)).toEqual({
        'x-tenant': 'eight',
        Authorization: 'Token {api_key}',
        'x-api-key': 'literal-second',
      });
      await save({ 'x-api-key': 'literal-third' });
      expect(await sent(id)).toMatchObject({ 'x-api-key': 'literal-third' });
      expect(await texts()).not.toMatch(/literal-/);
      await service.update({ id, header_override: '{"x-tenant":"eight"}' });
      const [row] = await db.selectFrom('channels').select('header_secrets_sealed').execute();
      expect(row?.header_secrets_sealed).toBeNull();
    });

    it('are not sent to another destination, or in another header', async () => {
      const { id } = await make({ header_override: JSON.stringify(headers) });
      const elsewhere = { id, base_url: 'https://evil.example', key: 'sk-new' };
      expect(await refusal(service.update(elsewhere))).toBe('channel_header_secret_required');
      const masked = await shown(id);
      expect(await refusal(service.update({ ...elsewhere, header_override: JSON.stringify(masked) }))).toBe(
        'channel_header_secret_required',
      );
      const renamed = JSON.stringify({
        'x-other-token': masked['x-access-token'],
        'x-tenant': masked['x-access-token'],
      });
      expect(await refusal(service.update({ id, header_override: renamed }))).toBe('channel_member_type');
      expect(await sent(id)).toEqual(headers);
      await service.update({ ...elsewhere, header_override: JSON.stringify(headers) });
      expect(await sent(id)).toEqual(headers);
    });

    it('of a former version are sealed by a save, and never shown', async () => {
      const { id } = await make();
      await channelRows.update(db, id, { header_override: JSON.stringify(headers) });
      expect(await sent(id)).toEqual(headers);
      expect(JSON.stringify(await shown(id))).not.toContain('literal');
      await service.update({ id, header_override: JSON.stringify(await shown(id)) });
      expect(await sent(id)).toEqual(headers);
      expect(await texts()).not.toContain('literal-7f3a');
      await channelRows.update(db, id, { header_override: '{"x-access-token":"literal-7f3a"' });
      expect((await service.get(id)).header_override).toBe('');
    });

    it('sealed for one channel do not open for another', async () => {
      const { id } = await make({ header_override: JSON.stringify(headers) });
      const other = await make({ header_override: JSON.stringify(headers) });
      const { header_secrets_sealed } = (await channelRows.find(db, id))!;
      await channelRows.update(db, other.id, { header_secrets_sealed });
      expect(await refusal(service.load(other.id))).toBe('channel_key_unreadable');
    });
  });

  it('do not stop serving when one key cannot be opened', async () => {
    const old = await make();
    service = build(randomBytes(32));
    const fresh = await make();
    const loaded = await service.loadAll();
    expect(loaded.map(({ channel, status }) => [channel.id, status, channel.key])).toEqual([
      [old.id, channelStatus.autoDisabled, ''],
      [fresh.id, channelStatus.enabled, key],
    ]);
    expect(await refusal(service.load(old.id))).toBe('channel_key_unreadable');
    expect((await service.get(old.id)).key_hint).toBe('');
    await service.update({ id: old.id, key: 'sk-new' });
    expect((await service.load(old.id))?.channel.key).toBe('sk-new');
  });
});
