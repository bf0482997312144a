import { declarationOf, role, type SettingKey, type SettingValue } from '@tollgate/contract';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createSealer } from '../../../lib/seal.ts';
import { accounts, migrate, openStore, type Store, users } from '../../../store/index.ts';
import { type MailServer, startMailServer } from '../../../testing/upstream/mail-server.ts';
import { makeTestCertificate, trustCertificate } from '@tollgate/http-engine/testing';
import { createDeliveryQueue, createMailer, createNotifier, type DeliveryQueue } from './index.ts';

const certificate = makeTestCertificate();
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
let store: Store;
let server: MailServer;
let queue: DeliveryQueue;
let values: Partial<Record<SettingKey, unknown>>;
let webhooks: { title: string; content: string; values: string[] }[];
const settings = {
  get: <Key extends SettingKey>(key: Key) => (values[key] ?? declarationOf(key).default) as SettingValue<Key>,
};

beforeAll(() => trustCertificate(certificate.cert));
beforeEach(async () => {
  store = await openStore({ url: 'sqlite::memory:' });
  await migrate(store);
  server = await startMailServer({ certificate });
  webhooks = [];
  values = {
    SMTPServer: 'localhost',
    SMTPPort: server.port,
    SMTPFrom: 'robot@gate.example',
    ServerAddress: 'https://gate.example',
  };
  queue = createDeliveryQueue({ log: quiet, pausesMs: [] });
});
afterEach(async () => {
  await queue.close();
  await server.close();
  await store.close();
});

const notifier = () =>
  createNotifier({
    db: store.db,
    settings,
    sealer: createSealer(Buffer.alloc(32, 7)),
    mailer: createMailer({ settings }),
    sendWebhook: async ({ body }) => void webhooks.push(JSON.parse(body) as (typeof webhooks)[0]),
    queue,
    limit: { count: 99, windowMinutes: 10 },
    clock: () => 1_790_000_000_000,
    log: quiet,
  });

async function addUser(username: string, setting: object, userRole: number = role.common): Promise<number> {
  const account_id = await accounts.create(store.db);
  const email = `${username}@example.com`;
  const row = { account_id, username, created_time: 1, email, setting: JSON.stringify(setting) };
  return users.create(store.db, { ...row, role: userRole });
}

/** Waits until the queue has sent this number of mails, or is idle. */
async function mailsAfter(act: () => void, count: number) {
  act();
  for (let round = 0; round < 500 && server.mails.length + webhooks.length < count; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    await queue.idle();
  }
  return server.mails.toSorted((a, b) => a.to[0]!.localeCompare(b.to[0]!));
}

const chinese = /\p{Script=Han}|＄/u;

it('a warning is in the language of its recipient, as HTML and as text', async () => {
  const ids = [await addUser('ann', { language: 'en' }), await addUser('bob', { language: 'zh' })];
  values.DefaultLanguage = 'en';
  const warner = notifier();
  const mails = await mailsAfter(
    () => ids.forEach((userId) => warner.afterSettle({ userId, charged: 1, balance: 999 })),
    2,
  );
  expect(mails[0]).toMatchObject({
    headers: { subject: 'Your balance is nearly used up' },
    body: "Your balance is nearly used up: $0.001998 left. Please top up so that your calls are not interrupted.<br/>Top up: <a href='https://gate.example/topup'>https://gate.example/topup</a>",
    text: 'Your balance is nearly used up: $0.001998 left. Please top up so that your calls are not interrupted.\n\nTop up: https://gate.example/topup',
  });
  expect(mails[1]).toMatchObject({
    headers: { subject: '您的额度即将用尽' },
    body: "您的额度即将用尽，当前剩余额度为 ＄0.001998，为了不影响您的使用，请及时充值。<br/>充值链接：<a href='https://gate.example/topup'>https://gate.example/topup</a>",
    text: '您的额度即将用尽，当前剩余额度为 ＄0.001998，为了不影响您的使用，请及时充值。\n\n充值链接：https://gate.example/topup',
  });
});

it.each([
  ['en', /^Your balance/],
  ['zh', /^您的额度/],
  ['auto', /^您的额度/],
])('users without a language are notified in the site’s: %s', async (language, subject) => {
  values.DefaultLanguage = language;
  const userId = await addUser('ann', { language: '' });
  const warner = notifier();
  const [mail] = await mailsAfter(() => warner.afterSettle({ userId, charged: 1, balance: 999 }), 1);
  expect(mail?.headers.subject).toMatch(subject);
});

it('every notice for root is entirely in root’s language, including Tollgate’s own reasons', async () => {
  await addUser('root', { language: 'en' }, role.root);
  const announcer = notifier();
  const reason = { zh: '余额不足', en: 'The balance is used up' };
  const mails = await mailsAfter(() => {
    announcer.channelChanged({ id: 7, name: 'main', status: 3, reason });
    announcer.channelChanged({ id: 7, name: 'main', status: 1, reason: '' });
    announcer.testsFinished();
  }, 3);
  expect(mails).toHaveLength(3);
  for (const { headers, body, text } of mails)
    expect([headers.subject, body, text].join(' ')).not.toMatch(chinese);
  const off = mails.find(({ headers }) => headers.subject?.includes('off'));
  expect(off).toMatchObject({
    headers: { subject: 'Channel “main” (#7) was switched off' },
    text: 'Channel “main” (#7) was switched off. Reason: The balance is used up',
  });
});

it('a webhook is in the language of its owner, with the values in the same fields', async () => {
  const hook = { notify_type: 'webhook', webhook_url: 'https://hook.example/x' };
  const ids = [await addUser('ann', { ...hook, language: 'en' }), await addUser('bob', hook)];
  const warner = notifier();
  await mailsAfter(
    () => ids.forEach((userId) => warner.afterSettle({ userId, charged: 1, balance: 999 })),
    2,
  );
  const [english, own] = webhooks.toSorted((a, b) => (a.title < b.title ? -1 : 1));
  expect(JSON.stringify(english)).not.toMatch(chinese);
  expect(english?.values.slice(1)).toEqual([
    '$0.001998',
    'https://gate.example/topup',
    'https://gate.example/topup',
  ]);
  expect(own?.values).toEqual([
    '您的额度即将用尽',
    '＄0.001998',
    'https://gate.example/topup',
    'https://gate.example/topup',
  ]);
});
