import { declarationOf, type SettingKey, type SettingValue } from '@tollgate/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSealer } from '../../../lib/seal.ts';
import { accounts, migrate, openStore, type Store, users } from '../../../store/index.ts';
import { createDeliveryQueue, type DeliveryQueue } from './delivery-queue.ts';
import { createNotifier, type Mail, type Notifier, sealSecret, type WebhookSender } from './index.ts';
import { PermanentFailure } from './types.ts';

type WebhookCall = Parameters<WebhookSender>[0];

let store: Store;
let notifier: Notifier;
let queue: DeliveryQueue;
let now: number;
let mails: Mail[];
let calls: WebhookCall[];
let sending: () => Promise<void>;
let heard: (secret: string) => void;
const sealer = createSealer(Buffer.alloc(32, 7));
let values: Partial<Record<SettingKey, unknown>>;
const lines: object[] = [];
const log = {
  debug: () => undefined,
  info: () => undefined,
  warn: (fields: object) => void lines.push(fields),
  error: (fields: object) => void lines.push(fields),
};
const settings = {
  get: <Key extends SettingKey>(key: Key) => (values[key] ?? declarationOf(key).default) as SettingValue<Key>,
};

async function addUser(username: string, setting: object, change: { role?: number; email?: string } = {}) {
  const account_id = await accounts.create(store.db);
  const email = `${username}@example.com`;
  const row = { account_id, username, created_time: 1, email, setting: JSON.stringify(setting), ...change };
  return users.create(store.db, row);
}

/** Waits until the user lookups and the queue are idle. */
async function rest(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  await queue.idle();
}

beforeEach(async () => {
  store = await openStore({ url: 'sqlite::memory:' });
  await migrate(store);
  now = 1_790_000_000_000;
  [mails, calls, values] = [[], [], { ServerAddress: 'https://gate.example' }];
  lines.length = 0;
  sending = () => Promise.resolve();
  heard = () => undefined;
  queue = createDeliveryQueue({ log, pausesMs: [1, 1] });
  notifier = makeNotifier();
});
const makeNotifier = (): Notifier =>
  createNotifier({
    db: store.db,
    settings,
    sealer,
    mailer: { send: (mail) => sending().then(() => void mails.push(mail)) },
    sendWebhook: (call, secret) => {
      heard(secret);
      return sending().then(() => void calls.push(call));
    },
    queue,
    limit: { count: 2, windowMinutes: 10 },
    clock: () => now,
    log,
  });
afterEach(async () => {
  await queue.close();
  await store.close();
});

describe('the low-quota warning', () => {
  it('is sent below the site’s threshold, not at it, and only after a charge', async () => {
    values.QuotaRemindThreshold = 1_000;
    const userId = await addUser('ann', {});
    for (const settled of [
      { userId, charged: 5, balance: 1_000 },
      { userId, charged: 0, balance: 10 },
    ]) {
      notifier.afterSettle(settled);
      await rest();
    }
    expect(mails).toEqual([]);
    notifier.afterSettle({ userId, charged: 5, balance: 999 });
    await rest();
    expect(mails).toEqual([
      {
        to: 'ann@example.com',
        subject: '您的额度即将用尽',
        html: "您的额度即将用尽，当前剩余额度为 ＄0.001998，为了不影响您的使用，请及时充值。<br/>充值链接：<a href='https://gate.example/topup'>https://gate.example/topup</a>",
        text: '您的额度即将用尽，当前剩余额度为 ＄0.001998，为了不影响您的使用，请及时充值。\n\n充值链接：https://gate.example/topup',
      },
    ]);
  });

  it('uses the user’s own threshold and address', async () => {
    const userId = await addUser('ann', {
      quota_warning_threshold: 50_000,
      notification_email: 'own@example.com',
    });
    notifier.afterSettle({ userId, charged: 5, balance: 49_999 });
    await rest();
    expect(mails.map(({ to }) => to)).toEqual(['own@example.com']);
  });

  it('by mail is sent at most once in two hours, for each user', async () => {
    const [ann, bob] = [await addUser('ann', {}), await addUser('bob', {})];
    const settle = async () => {
      for (const userId of [ann, bob]) notifier.afterSettle({ userId, charged: 1, balance: 1 });
      await rest();
    };
    for (let minute = 0; minute < 120; minute += 1) {
      await settle();
      now += 60_000;
    }
    expect(mails.map(({ to }) => to).toSorted()).toEqual(['ann@example.com', 'bob@example.com']);
    await settle();
    expect(mails).toHaveLength(4);
  });

  it('is sent once by all processes on one database, until its window is over', async () => {
    const userId = await addUser('ann', {});
    const processes = [notifier, makeNotifier(), makeNotifier()];
    const settle = async (): Promise<void> => {
      for (const each of processes) each.afterSettle({ userId, charged: 1, balance: 1 });
      await rest();
    };
    await settle();
    now += 3_600_000;
    await settle();
    expect(mails).toHaveLength(1);
    now += 3_600_000;
    await settle();
    expect(mails).toHaveLength(2);
  });

  it('is sent to a new address at once', async () => {
    const userId = await addUser('ann', { quota_warning_threshold: 10 });
    notifier.afterSettle({ userId, charged: 1, balance: 50 });
    await rest();
    const setting = { quota_warning_threshold: 100, notification_email: 'new@example.com' };
    await users.update(store.db, userId, { setting: JSON.stringify(setting) });
    notifier.forgetUser(userId);
    notifier.afterSettle({ userId, charged: 1, balance: 50 });
    await rest();
    expect(mails.map(({ to }) => to)).toEqual(['new@example.com']);
  });

  it('by webhook is signed with the secret, sealed or stored before secrets were sealed', async () => {
    const secrets: string[] = [];
    heard = (secret) => void secrets.push(secret);
    const stored = (secret: string) => ({
      notify_type: 'webhook',
      webhook_url: 'https://hooks.example/x',
      webhook_secret: secret,
    });
    const ann = await addUser('ann', {});
    const sealed = sealSecret(sealer, ann, stored('hush'));
    expect(sealed.webhook_secret).not.toContain('hush');
    await users.update(store.db, ann, { setting: JSON.stringify(sealed) });
    for (const userId of [
      ann,
      await addUser('bob', stored('plain')),
      await addUser('eve', stored('v1.a.b.c')),
    ]) {
      notifier.afterSettle({ userId, charged: 1, balance: 1 });
      await rest();
    }
    expect(secrets).toEqual(['hush', 'plain', 'v1.a.b.c']);
  });

  it('by webhook is sent at most twice in ten minutes', async () => {
    const userId = await addUser('ann', {
      notify_type: 'webhook',
      webhook_url: 'https://hooks.example/ann',
      webhook_secret: 's',
    });
    for (let i = 0; i < 50; i += 1) {
      notifier.afterSettle({ userId, charged: 1, balance: 1 });
      await rest();
    }
    expect(calls).toHaveLength(2);
    expect(mails).toEqual([]);
    expect(JSON.parse(calls[0]!.body)).toMatchObject({
      type: 'quota_exceed',
      values: ['您的额度即将用尽', '＄0.000002', 'https://gate.example/topup', 'https://gate.example/topup'],
    });
    now += 600_000;
    notifier.afterSettle({ userId, charged: 1, balance: 1 });
    await rest();
    expect(calls).toHaveLength(3);
  });

  it('that could not be delivered does not suppress the next one', async () => {
    const userId = await addUser('ann', {});
    sending = () => Promise.reject(new PermanentFailure('down'));
    notifier.afterSettle({ userId, charged: 1, balance: 1 });
    await rest();
    sending = () => Promise.resolve();
    notifier.afterSettle({ userId, charged: 1, balance: 1 });
    await rest();
    expect(mails).toHaveLength(1);
  });

  it('returns at once while receivers hang, and never throws, whatever the row or the database returns', async () => {
    const userId = await addUser('ann', {});
    const damaged = await addUser('bob', {});
    await users.update(store.db, damaged, { setting: '{"notify_type":' });
    const hanging = Promise.withResolvers<void>();
    sending = () => hanging.promise;
    notifier.afterSettle({ userId, charged: 1, balance: 1 });
    notifier.afterSettle({ userId: damaged, charged: 1, balance: 1 });
    notifier.afterSettle({ userId: 999, charged: 1, balance: 1 });
    await new Promise((resolve) => setImmediate(resolve));
    expect(mails).toEqual([]);
    hanging.resolve();
    await rest();
    expect(mails.map(({ to }) => to).toSorted()).toEqual(['ann@example.com', 'bob@example.com']);
    await store.db.schema.alterTable('users').renameTo('users_gone').execute();
    now += 100_000;
    notifier.afterSettle({ userId, charged: 1, balance: 1 });
    await rest();
    expect(lines).toHaveLength(1);
  });

  it('queries the database about a user once a minute, however many settlements there are', async () => {
    const userId = await addUser('ann', {});
    notifier.afterSettle({ userId, charged: 1, balance: 10_000_000 });
    await rest();
    await users.update(store.db, userId, {
      setting: JSON.stringify({ notification_email: 'new@example.com' }),
    });
    for (let i = 0; i < 100; i += 1) notifier.afterSettle({ userId, charged: 1, balance: 10_000_000 });
    // The old address is cached.
    notifier.afterSettle({ userId, charged: 1, balance: 1 });
    await rest();
    expect(mails.map(({ to }) => to)).toEqual(['ann@example.com']);
    now += 7_200_000;
    notifier.afterSettle({ userId, charged: 1, balance: 1 });
    await rest();
    expect(mails.at(-1)?.to).toBe('new@example.com');
  });
});

describe('root', () => {
  it('is notified of channels that were disabled and enabled, with their names escaped', async () => {
    await addUser('ann', {});
    await addUser('root', {}, { role: 100 });
    notifier.channelChanged({ id: 7, name: '<img src=x>', status: 3, reason: 'quota "gone"' });
    notifier.channelChanged({ id: 7, name: 'main', status: 1, reason: '' });
    notifier.testsFinished();
    await rest();
    expect(mails.map(({ to }) => to)).toEqual(Array(3).fill('root@example.com'));
    expect(mails[0]).toMatchObject({
      subject: '通道「<img src=x>」（#7）已被禁用',
      html: '通道「&#60;img src=x&#62;」（#7）已被禁用，原因：quota &#34;gone&#34;',
    });
    expect(mails[1]?.subject).toBe('通道「main」（#7）已被启用');
    expect(mails[2]).toMatchObject({ subject: '通道测试完成', html: '所有通道测试已完成' });
  });
});
