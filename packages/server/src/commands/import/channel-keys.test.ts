import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { boot, type RunningSite } from '../../boot/boot.ts';
import { readEnv } from '../../boot/env.ts';
import { imported, MovingDesk, secretKey } from '../../testing/moving-in/importing.ts';
import { buildOldSite, newApiSite } from '../../testing/moving-in/old-site.ts';
import type { Report } from './kit/report.ts';

const desk = new MovingDesk();
afterAll(() => desk.close());

const account = (name: string) => `{"type":"service_account","project_id":"${name}"}`;

/** Channels in new-api's format, and the resulting keys: hint or file, state, reason, time of change. */
const shapes = [
  {
    type: 1,
    key: 'sk-aaaaaaaaaaaaaaa1\nsk-aaaaaaaaaaaaaaa2\nsk-aaaaaaaaaaaaaaa3',
    info: '{"is_multi_key":true,"multi_key_size":3,"multi_key_status_list":{"1":2},"multi_key_polling_index":2,"multi_key_mode":"polling"}',
    mode: 'polling',
    status: 1,
    keys: [
      { status: 1, hint: '••••aaa1' },
      { status: 2, hint: '••••aaa2' },
      { status: 1, hint: '••••aaa3' },
    ],
  },
  {
    type: 1,
    key: 'sk-bbbbbbbbbbbbbbb1\nsk-bbbbbbbbbbbbbbb2',
    info: '{"is_multi_key":true,"multi_key_size":2,"multi_key_status_list":null,"multi_key_polling_index":0,"multi_key_mode":"random"}',
    mode: 'random',
    status: 1,
    keys: [{ status: 1 }, { status: 1 }],
  },
  {
    type: 1,
    key: 'sk-ccccccccccccccc1\nsk-ccccccccccccccc2',
    info: '{"is_multi_key":true,"multi_key_size":2,"multi_key_status_list":{"0":3,"1":3},"multi_key_disabled_reason":{"0":"status_code=401, invalid","1":"status_code=402, empty"},"multi_key_disabled_time":{"0":1795855673,"1":1795855674},"multi_key_polling_index":0,"multi_key_mode":"polling"}',
    mode: 'polling',
    status: 3,
    keys: [
      { status: 3, reason: 'status_code=401, invalid', changedAt: 1_795_855_673 },
      { status: 3, reason: 'status_code=402, empty', changedAt: 1_795_855_674 },
    ],
  },
  {
    type: 41,
    key: `[${account('one')},${account('two')}]`,
    other: 'global',
    info: '{"is_multi_key":true,"multi_key_size":2,"multi_key_status_list":{"0":3},"multi_key_polling_index":0,"multi_key_mode":"random"}',
    mode: 'random',
    status: 1,
    keys: [{ status: 3 }, { status: 1 }],
  },
  // The same key twice: one of them is on.
  {
    type: 1,
    key: 'sk-ddddddddddddddd1\nsk-ddddddddddddddd1\n\n',
    info: '{"is_multi_key":true,"multi_key_size":2,"multi_key_status_list":{"0":3},"multi_key_mode":""}',
    mode: 'random',
    status: 1,
    keys: [{ status: 1 }],
  },
  // Lines in the key of a single-key channel are not separate keys. A disabled channel stays disabled.
  {
    type: 1,
    key: 'sk-eeeeeeeeeeeeeee1',
    off: true,
    info: '{"is_multi_key":false,"multi_key_size":0,"multi_key_status_list":null,"multi_key_polling_index":0,"multi_key_mode":""}',
    mode: '',
    status: 2,
    keys: [],
  },
] as const;

describe('channels with several keys of new-api', () => {
  let report: Report;
  let site: RunningSite;
  beforeAll(async () => {
    const file = `${desk.place('keys')}.db`;
    const old = newApiSite('http://127.0.0.1:9');
    const channels = shapes.map(({ type, key, info, ...more }, index) => ({
      ...old.channels![0],
      id: index + 1,
      type,
      key,
      name: `channel ${index + 1}`,
      models: 'gpt-4o',
      other: 'other' in more ? more.other : '',
      weight: 7,
      status: 'off' in more ? 2 : 1,
      channel_info: info,
    }));
    await buildOldSite('sqlite', `sqlite:${file}`, 'new-api', { ...old, channels });
    const env = { DATA_DIR: desk.place(), SECRET_KEY: secretKey };
    report = await imported(env.DATA_DIR, { from: file });
    site = await boot(
      readEnv({ ...env, PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'silent', DRAIN_SECONDS: '1' }),
    );
  });
  afterAll(() => site.close());

  it.each(shapes.map((shape, index) => [index + 1, shape] as const))(
    'are one channel each, with the states of their keys: %i',
    async (id, { mode, status, keys }) => {
      const { channels } = site.core;
      expect(await channels.get(id)).toMatchObject({ status, weight: 7, name: `channel ${id}`, tag: null });
      if (mode === '') return;
      expect(await channels.get(id)).toMatchObject({ channel_info: { multi_key_mode: mode } });
      expect(await channels.listKeys(id)).toMatchObject(keys);
      const usable = (await channels.load(id))?.channel.keys?.usable.map(({ chosenKey }) => chosenKey?.id);
      const on = (await channels.listKeys(id)).filter((key) => key.status === 1).map((key) => key.id);
      expect(usable).toEqual(on);
    },
  );

  it('are not switched off by the import, and no note says so', () => {
    expect(report.channelsOff).toEqual([]);
    expect(report.notes.join('\n')).not.toMatch(/keys/);
  });

  it('come back with a key that recovers', async () => {
    const { channels } = site.core;
    const [dead] = await channels.listKeys(3);
    expect(await channels.enableKey(3, dead!.id)).toBe(true);
    expect(await channels.get(3)).toMatchObject({ status: 1 });
  });
});
