import { channelInput, channelStatus } from '@tollgate/contract';
import { beforeEach, expect, it } from 'vitest';
import { randomBytes } from 'node:crypto';
import { createSealer } from '../../../lib/seal.ts';
import { channelTypes } from '../../../relay/registry.ts';
import { eachDialect } from '../../../store/each-dialect.ts';
import { abilities, channelKeys, channels as channelRows, type Db } from '../../../store/index.ts';
import { createAudit } from '../../site/audit/index.ts';
import { type ChannelNotice, type Channels, createChannels } from './index.ts';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

eachDialect('a channel with several keys', ({ open }) => {
  let db: Db;
  let one: Channels;
  let other: Channels;
  let notices: ChannelNotice[];
  /** The channel's row at the time of its notice. */
  let announced: Promise<channelRows.ChannelRow | undefined>[];

  beforeEach(async () => {
    ({ db } = await open());
    notices = [];
    announced = [];
    const sealer = createSealer(randomBytes(32));
    const build = () =>
      createChannels({
        db,
        sealer,
        types: channelTypes,
        audit: createAudit({ db, reports: db, clock: () => 1 }),
        clock: () => 1_700_000_000_000,
        log: quiet,
        onChange: async () => undefined,
        announce: (notice) => {
          notices.push(notice);
          announced.push(channelRows.find(db, notice.id));
        },
      });
    one = build();
    other = build();
  });

  const make = async (key: string, type = 1): Promise<number> => {
    const form = { type, name: 'several', key, models: 'm', other: type === 41 ? 'global' : '' };
    const [made] = await one.create(channelInput.parse({ mode: 'multi_to_single', ...form }));
    return made!.id;
  };
  const statuses = async (id: number) => (await one.listKeys(id)).map(({ status }) => status);

  it('goes off with its last key and comes back with the first, whichever process switches them', async () => {
    const id = await make('a\nb\nc');
    const keys = await one.listKeys(id);
    const off = await Promise.all(
      keys.flatMap((key) => [one, other].map((each) => each.disableKey(id, key.id, 'refused'))),
    );
    expect(off.filter(Boolean)).toHaveLength(3);
    expect(await statuses(id)).toEqual([3, 3, 3]);
    expect(await one.get(id)).toMatchObject({ status: channelStatus.autoDisabled });
    expect(await abilities.enabledModels(db)).toEqual([]);
    expect(notices).toMatchObject([{ id, status: 3 }]);
    // A notice is sent only after the change is committed.
    expect(await Promise.all(announced)).toMatchObject([{ status: 3 }]);
    const on = await Promise.all([one, other].map((each) => each.enableKey(id, keys[1]!.id)));
    expect(on.filter(Boolean)).toHaveLength(1);
    expect(await other.get(id)).toMatchObject({ status: channelStatus.enabled, other_info: '' });
    const routed = await other.load(id);
    expect(routed?.channel.keys?.usable.map(({ key }) => key)).toEqual(['b']);
    expect(routed?.channel.key).toBe('b');
  });

  it('keeps what a person switched off, and neither a dead key nor the state of a deleted one comes back', async () => {
    const id = await make('a\nb\nc');
    const [first, second, third] = await one.listKeys(id);
    await one.manageKeys(id, 'disable_key', { id: first!.id });
    expect(await other.enableKey(id, first!.id)).toBe(false);
    expect(await other.disableKey(id, first!.id, 'refused')).toBe(false);
    await one.disableKey(id, second!.id, 'refused');
    expect(await one.manageKeys(id, 'delete_disabled_keys', {})).toBe(1);
    expect((await one.listKeys(id)).map((key) => key.id)).toEqual([first!.id, third!.id]);
    expect(await one.disableKey(id, second!.id, 'late')).toBe(false);
    await one.update({ id, key: 'c\nb', key_mode: 'replace' });
    expect((await one.listKeys(id)).map((key) => [key.id, key.status])).toEqual([
      [third!.id, 1],
      [second!.id, 1],
    ]);
    await one.remove([id]);
    expect(await channelKeys.all(db)).toEqual([]);
  });

  it('refuses to lose its last key, and seals all of them', async () => {
    const id = await make('sk-only-one');
    const [key] = await one.listKeys(id);
    await expect(one.manageKeys(id, 'delete_key', { id: key!.id })).rejects.toMatchObject({
      code: 'channel_last_key',
    });
    expect(JSON.stringify(await channelRows.find(db, id))).not.toContain('only-one');
  });

  it('can have files as keys, and a channel with one key becomes one with several', async () => {
    const files = [{ project_id: 'a' }, { project_id: 'b' }];
    const vertex = await make(JSON.stringify(files), 41);
    expect(
      (await one.load(vertex))?.channel.keys?.usable.map(({ key }) => JSON.parse(key) as unknown),
    ).toEqual(files);
    const [single] = await one.create(channelInput.parse({ type: 1, name: 'x', key: 'k1', models: 'm' }));
    await one.update({ id: single!.id, multi_key_mode: 'least_used', key: 'k2', key_mode: 'append' });
    expect((await one.load(single!.id))?.channel.keys).toMatchObject({
      mode: 'least_used',
      usable: [{ key: 'k1' }, { key: 'k2' }],
    });
    const [codex] = await one.create(channelInput.parse({ type: 57, name: 'x', key: '{}', models: 'm' }));
    await expect(one.update({ id: codex!.id, multi_key_mode: 'random' })).rejects.toMatchObject({
      code: 'channel_keys_unavailable',
    });
  });

  it('keeps the limits of a key apart from its state, until the key is deleted', async () => {
    const id = await make('a\nb');
    const [first, second] = await one.listKeys(id);
    const limits = { calls_at_once: 5, dollars_per_day: 2.5 };
    await one.manageKeys(id, 'limit_key', { id: first!.id, limits: { ...limits, requests_per_minute: 0 } });
    await other.disableKey(id, first!.id, 'refused');
    await other.enableKey(id, first!.id);
    expect((await other.listKeys(id)).map((key) => key.limits)).toEqual([limits, {}]);
    const { keys } = (await other.load(id))!;
    expect(keys!.map(({ channel }) => channel.limits)).toEqual([
      { waitMs: 0, key: { requests: 0, tokens: 0, calls: 5, dollars: 2.5 } },
      undefined,
    ]);
    await one.manageKeys(id, 'limit_key', { id: second!.id });
    await one.update({ id, key: 'b' });
    await one.update({ id, key: 'a\nb' });
    expect((await one.listKeys(id)).map((key) => key.limits)).toEqual([{}, {}]);
  });
});
