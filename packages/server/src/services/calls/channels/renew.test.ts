import { channelInput } from '@tollgate/contract';
import { beforeEach, expect, it } from 'vitest';
import { createSealer } from '../../../lib/seal.ts';
import { channelTypes } from '../../../relay/registry.ts';
import { eachDialect } from '../../../store/each-dialect.ts';
import { channels as channelRows, type Db, keyRenewals } from '../../../store/index.ts';
import { createAudit } from '../../site/audit/index.ts';
import { type Channels, createChannels, type KeyRenewal } from './index.ts';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const masterKey = Buffer.alloc(32, 7);

eachDialect('the renewal of keys', ({ open }) => {
  let db: Db;
  let now: number;
  /** Number of the key that the vendor accepts next, and the count of requests with another key. */
  let good: number;
  let misspent: number;

  /** The channels of another process on the same database. */
  const processOn = (): Channels =>
    createChannels({
      db,
      sealer: createSealer(masterKey),
      types: channelTypes,
      audit: createAudit({ db, reports: db, clock: () => now }),
      clock: () => now,
      log: quiet,
      onChange: async () => undefined,
      announce: () => undefined,
    });

  const keyOf = (count: number) => `{"access_token":"a${count}","refresh_token":"r${count}"}`;
  const renewal = (change: Partial<KeyRenewal> = {}): KeyRenewal => ({
    isGood: (key) => key !== keyOf(1),
    async renew(key) {
      await new Promise((resolve) => setImmediate(resolve));
      if (key !== keyOf(good)) misspent += 1;
      good += 1;
      return keyOf(good);
    },
    sleep: () => new Promise((resolve) => setImmediate(resolve)),
    ...change,
  });
  const make = async (service: Channels): Promise<number> => {
    const input = { type: 57, name: 'codex', key: keyOf(1), models: 'm' };
    return (await service.create(channelInput.parse(input)))[0]!.id;
  };

  beforeEach(async () => {
    ({ db } = await open());
    now = 1_700_000_000_000;
    good = 1;
    misspent = 0;
  });

  it('is done by one of several processes, and all get its result', async () => {
    const processes = [processOn(), processOn(), processOn()];
    const id = await make(processes[0]!);
    const keys = await Promise.all(processes.flatMap((one) => [1, 2].map(() => one.renewKey(id, renewal()))));
    expect(keys).toEqual(Array(6).fill(keyOf(2)));
    expect([good, misspent]).toEqual([2, 0]);
    expect((await processes[1]!.load(id))!.channel.key).toBe(keyOf(2));
  });

  it('holds for copies of the channel, which would use the same refresh token again', async () => {
    const service = processOn();
    const id = await make(service);
    const copy = await service.copy(id, { suffix: '_copy', resetBalance: true });
    const keys = await Promise.all([id, copy].map((each) => processOn().renewKey(each, renewal())));
    expect([keys, misspent]).toEqual([[keyOf(2), keyOf(2)], 0]);
    expect((await service.load(copy))!.channel.key).toBe(keyOf(2));
  });

  it('does not overwrite a key that a user entered meanwhile', async () => {
    const service = processOn();
    const id = await make(service);
    const renew = async () => {
      await service.update({ id, key: keyOf(9) });
      return keyOf(2);
    };
    expect(await service.renewKey(id, renewal({ renew }))).toBe(keyOf(2));
    expect((await service.load(id))!.channel.key).toBe(keyOf(9));
  });

  it('that failed may be tried again at once', async () => {
    const service = processOn();
    const id = await make(service);
    const renew = () => Promise.reject(new Error('refused'));
    await expect(service.renewKey(id, renewal({ renew }))).rejects.toThrow('refused');
    expect(await service.renewKey(id, renewal())).toBe(keyOf(2));
  });

  it('of a process that died is taken over when its lease ends, and not before', async () => {
    const service = processOn();
    const id = await make(service);
    const { key_hash: hash } = (await channelRows.find(db, id))!;
    expect(await keyRenewals.begin(db, hash, { now, until: now + 60_000 })).toBe(true);
    const impatient = { sleep: () => Promise.reject(new Error('still waits')) };
    now += 59_999;
    await expect(service.renewKey(id, renewal(impatient))).rejects.toThrow('still waits');
    now += 1;
    expect(await service.renewKey(id, renewal(impatient))).toBe(keyOf(2));
  });
});
