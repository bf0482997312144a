import { createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  type AlarmService,
  alarmServices,
  declarationOf,
  type SettingKey,
  type SettingValue,
} from '@tollgate/contract';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSealer } from '../../../lib/seal.ts';
import { createHttp, type Http } from '../../../lib/outbound/http.ts';
import {
  alarms as alarmRows,
  type Db,
  migrate,
  openStore,
  options,
  type Store,
} from '../../../store/index.ts';
import { eachDialect, repeatedOn } from '../../../store/each-dialect.ts';
import { alarmCall } from './alarm-services.ts';
import { optionPlace } from '../settings/index.ts';
import { adoptFormerPlace, createAlarmPlaces, readPlaces } from './alarm-places.ts';
import { createAlarms } from './alarms.ts';
import type { Mail } from './mailer.ts';

interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
  raw: string;
}

const calls: Received[] = [];
const took: Record<AlarmService, object> = {
  Webhook: {},
  Slack: {},
  Feishu: { code: 0, msg: 'success', data: {} },
  DingTalk: { errcode: 0, errmsg: 'ok' },
  WeCom: { errcode: 0, errmsg: 'ok' },
  Telegram: { ok: true, result: {} },
  Bark: { code: 200, message: 'success' },
  Gotify: { id: 1 },
};
let answer: { status: number; body: object } | 'never';
/** Paths that answer with an error. */
const failing = new Set<string>();
const server = createServer((req, res) => {
  void text(req).then((raw) => {
    calls.push({
      path: req.url ?? '',
      headers: req.headers,
      raw,
      body: JSON.parse(raw) as Record<string, unknown>,
    });
    if (failing.has(req.url ?? '')) res.writeHead(503).end();
    else if (answer !== 'never') res.writeHead(answer.status).end(JSON.stringify(answer.body));
  });
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

let now: number;
let values: Partial<Record<SettingKey, unknown>>;
let http: Http;
const mails: Mail[] = [];
const lines: object[] = [];
const keep = (fields: object) => void lines.push(fields);
const log = { debug: keep, info: keep, warn: keep, error: keep };
const settings = {
  get: <Key extends SettingKey>(key: Key) => (values[key] ?? declarationOf(key).default) as SettingValue<Key>,
};
const mailer = {
  send: async (mail: Mail) => {
    if (mail.to === 'broken@example.com') throw new Error('no such mailbox');
    mails.push(mail);
  },
};
const sealer = createSealer(randomBytes(32));
/** A process of the site. */
const processOn = (db: Db) => createAlarms({ db, sealer, settings, mailer, http, clock: () => now, log });
const placesOn = (db: Db) => createAlarmPlaces({ db, sealer, audit: { record: async () => undefined } });
const hook = { service: 'Webhook', name: '', address: `${url}/hook`, secret: '', receiver: '' } as const;
const channel = { subject: '3', name: 'main', detail: 'invalid key' };
const events = () => calls.map(({ body }) => body.event);

beforeEach(() => {
  now = Date.UTC(2026, 10, 29, 12);
  calls.length = 0;
  failing.clear();
  mails.length = 0;
  lines.length = 0;
  answer = { status: 200, body: {} };
  values = { DefaultLanguage: 'en' };
  http = createHttp();
});
afterEach(() => http.close());

eachDialect('alarms', ({ open: openEmpty, openAgain, kind }) => {
  /** A site with one service. */
  const open = async () => {
    const { db } = await openEmpty();
    await placesOn(db).add(hook);
    return { db };
  };

  it('are one for each cause and subject, and one message when they end, by mail and by the service', async () => {
    const { db } = await open();
    values.AlarmMail = 'ops@example.com';
    const alarms = processOn(db);
    await alarms.sync({ channel_off: [channel] });
    await alarms.sync({ channel_off: [channel, { ...channel, subject: '4' }] });
    expect(await alarms.current()).toHaveLength(2);
    for (const _ of [1, 2, 3]) await alarms.deliver();
    expect(events()).toEqual(['begun', 'begun']);
    await alarms.sync({ channel_off: [{ ...channel, subject: '4' }] });
    for (const _ of [1, 2, 3]) await alarms.deliver();
    expect(calls.map(({ body }) => [body.event, body.subject])).toEqual([
      ['begun', '3'],
      ['begun', '4'],
      ['ended', '3'],
    ]);
    expect(mails.map(({ subject }) => subject)).toEqual([
      expect.stringContaining('Alarm'),
      expect.stringContaining('Alarm'),
      expect.stringContaining('Alarm ended'),
    ]);
    expect(mails[0]?.text).toBe('Channel “main” was switched off: invalid key');
    await alarms.sync({ channel_off: [channel, { ...channel, subject: '4' }] });
    await alarms.deliver();
    expect(events().slice(3), 'a new alarm of the same cause and subject').toEqual(['begun']);
  });

  it(
    'survive a kill before and during their delivery, and come at least once with the same id',
    repeatedOn(kind),
    async () => {
      const { db } = await open();
      await processOn(db).sync({ channel_off: [channel] });
      // The first process takes the attempt and dies while the service does not respond.
      answer = 'never';
      const dying = processOn(db).deliver();
      await vi.waitFor(() => expect(calls).toHaveLength(1));
      const { db: again } = await openAgain();
      answer = { status: 200, body: {} };
      const next = processOn(again);
      await next.deliver();
      expect(calls, 'another process has the try').toHaveLength(1);
      now += 60_000;
      await next.deliver();
      await next.deliver();
      expect(events()).toEqual(['begun', 'begun']);
      expect(calls[1]?.body.id).toBe(calls[0]?.body.id);
      server.closeAllConnections();
      await dying;
    },
  );

  it(
    'that end before anybody could be told are told of nevertheless: begin, then end',
    repeatedOn(kind),
    async () => {
      const { db } = await open();
      answer = { status: 503, body: {} };
      const alarms = processOn(db);
      await alarms.sync({ disk_low: [{ subject: '', name: '', detail: '0.4 GB' }] });
      await alarms.deliver();
      await alarms.sync({ disk_low: [] });
      await alarms.deliver();
      expect(calls, 'the next try comes after a pause').toHaveLength(1);
      answer = { status: 200, body: {} };
      now += 60_000;
      await alarms.deliver();
      await alarms.deliver();
      expect(events()).toEqual(['begun', 'begun', 'ended']);
      expect(await alarms.current()).toEqual([]);
    },
  );

  it('of a share of a budget say nothing when the period ends', repeatedOn(kind), async () => {
    const { db } = await open();
    const alarms = processOn(db);
    await alarms.sync({ budget_share: [{ subject: '7@0:80', name: 'team', detail: '80 %' }] });
    await alarms.deliver();
    await alarms.sync({ budget_share: [] });
    for (let round = 0; round < 3; round += 1) await alarms.deliver();
    expect(events()).toEqual(['begun']);
    expect(await alarms.current()).toEqual([]);
  });

  it(
    'are tried again with growing pauses and given up after a day, and one way does not hold up the other',
    repeatedOn(kind),
    async () => {
      const { db } = await open();
      values.AlarmMail = 'ops@example.com';
      answer = { status: 500, body: {} };
      const alarms = processOn(db);
      await alarms.sync({ channel_off: [channel] });
      for (let minute = 0; minute < 36 * 60; minute += 1) {
        await alarms.deliver();
        now += 60_000;
      }
      expect(mails).toHaveLength(1);
      expect(calls).toHaveLength(28);
      expect(JSON.stringify(lines)).not.toContain(url);
    },
  );

  it(
    'wait for the end of quiet hours in the time zone of the settings, past midnight too',
    repeatedOn(kind),
    async () => {
      const { db } = await open();
      Object.assign(values, { AlarmQuietFrom: 22, AlarmQuietTo: 7, AlarmTimeZone: 'Asia/Shanghai' });
      now = Date.UTC(2026, 10, 29, 14); // 22:00 there
      const alarms = processOn(db);
      alarms.raise('books_differ', { subject: '', name: '', detail: 'I1' });
      await vi.waitFor(async () => expect(await alarms.current()).toHaveLength(1));
      await alarms.deliver();
      now = Date.UTC(2026, 10, 29, 22, 59);
      await alarms.deliver();
      expect(calls).toEqual([]);
      now = Date.UTC(2026, 10, 29, 23);
      await alarms.deliver();
      expect(events()).toEqual(['begun']);
    },
  );

  it('that nobody wants are not sent later, when somebody does', repeatedOn(kind), async () => {
    const { db } = await openEmpty();
    const alarms = processOn(db);
    await alarms.sync({ channel_off: [channel] });
    await alarms.deliver();
    expect(await alarms.test()).toEqual([]);
    await placesOn(db).add(hook);
    values.AlarmMail = 'ops@example.com';
    await alarms.deliver();
    expect([calls, mails]).toEqual([[], []]);
    expect(await alarms.current()).toHaveLength(1);
  });

  it(
    'come once to each of several services, which fail, die and are removed independently',
    repeatedOn(kind),
    async () => {
      const { db } = await openEmpty();
      const places = placesOn(db);
      const add = (name: string) => places.add({ ...hook, name, address: `${url}/${name}` });
      await add('a');
      await add('b');
      const gone = await add('gone');
      const alarms = processOn(db);
      const paths = () => calls.map(({ path }) => path).toSorted();
      await alarms.sync({ channel_off: [channel] });
      await places.remove(gone);
      failing.add('/b');
      for (const _ of [1, 2, 3]) await alarms.deliver();
      expect(paths()).toEqual(['/a', '/b']);
      // A process that dies has lost nothing: the next one tries the failed service alone.
      failing.clear();
      now += 60_000;
      const { db: again } = await openAgain();
      const next = processOn(again);
      for (const _ of [1, 2, 3]) await next.deliver();
      expect(paths()).toEqual(['/a', '/b', '/b']);
      const late = await add('late');
      await next.sync({ channel_off: [] });
      await next.deliver();
      await next.deliver();
      expect(paths().slice(0, 5), 'the end, to those who heard of the begin').toEqual([
        '/a',
        '/a',
        '/b',
        '/b',
        '/b',
      ]);
      await next.sync({ channel_off: [channel] });
      await next.deliver();
      expect(paths().filter((path) => path === '/late')).toHaveLength(1);
      await places.remove(late);
      expect((await places.list()).map(({ name, host }) => [name, host])).toEqual([
        ['a', new URL(url).host],
        ['b', new URL(url).host],
      ]);
    },
  );

  it('keep the single service of earlier versions, with what it was told', repeatedOn(kind), async () => {
    const { db } = await openEmpty();
    const former = { AlarmService: 'Telegram', AlarmReceiver: '-100', AlarmAddress: '' };
    for (const [key, value] of Object.entries(former)) await options.put(db, key, value);
    await options.put(db, 'AlarmSecret', sealer.seal('token', optionPlace('AlarmSecret')));
    const about = { cause: 'channel_off', subject: '3', name: 'main', detail: '' };
    await alarmRows.begin(db, about, ['post'], Math.floor(now / 1_000));
    const done = await Promise.all([adoptFormerPlace(db, sealer), adoptFormerPlace(db, sealer)]);
    expect(done.toSorted()).toEqual([0, 1]);
    expect(await options.all(db)).toEqual([]);
    const [place] = await readPlaces({ db, sealer });
    expect(place).toMatchObject({ service: 'Telegram', address: '', secret: 'token', receiver: '-100' });
    expect(await alarmRows.due(db, String(place!.id), Math.floor(now / 1_000), 9)).toHaveLength(1);
  });
});

const message = {
  id: 'm-1',
  event: 'begun',
  cause: 'channel_off',
  subject: '3',
  name: 'main',
  title: 'T',
  text: 'a <b> & c',
  since: 1,
  ended: 0,
} as const;
const at = 1_790_000_000_123;
const sign = (key: string, of: string) => createHmac('sha256', key).update(of).digest('base64');
const toService: Record<AlarmService, { path: string; body: object; headers?: object }> = {
  Webhook: {
    path: '/x?y=1',
    body: { ...message, timestamp: 1_790_000_000 },
    headers: { 'x-webhook-id': 'm-1' },
  },
  Slack: { path: '/x?y=1', body: { text: 'T\na &lt;b&gt; &amp; c' } },
  Feishu: {
    path: '/x?y=1',
    body: {
      timestamp: '1790000000',
      sign: sign('1790000000\nsecret', ''),
      msg_type: 'text',
      content: { text: 'T\na <b> & c' },
    },
  },
  DingTalk: {
    path: `/x?y=1&timestamp=${at}&sign=${encodeURIComponent(sign('secret', `${at}\nsecret`))}`,
    body: { msgtype: 'text', text: { content: 'T\na <b> & c' } },
  },
  WeCom: { path: '/x?y=1', body: { msgtype: 'text', text: { content: 'T\na <b> & c' } } },
  Telegram: {
    path: '/botsecret/sendMessage',
    body: { chat_id: '-100', text: 'T\na <b> & c', link_preview_options: { is_disabled: true } },
  },
  Bark: {
    path: '/push',
    body: { device_key: 'secret', title: 'T', body: 'a <b> & c', group: 'channel_off' },
  },
  Gotify: {
    path: '/message',
    body: { title: 'T', message: 'a <b> & c', priority: 8 },
    headers: { 'x-gotify-key': 'secret' },
  },
};

describe('a service of alarms', () => {
  let store: Store;
  beforeAll(async () => {
    store = await openStore({ url: 'sqlite::memory:' });
    await migrate(store);
  });
  afterAll(() => store.close());

  const withPath: readonly AlarmService[] = ['Webhook', 'Slack', 'Feishu', 'DingTalk', 'WeCom'];
  const placeOf = (service: AlarmService) => ({
    service,
    name: '',
    address: withPath.includes(service) ? `${url}/x?y=1` : `${url}/`,
    secret: 'secret',
    receiver: '-100',
  });

  it.each(alarmServices)('%s gets the documented call', async (service) => {
    const call = alarmCall(service, message, placeOf(service), at);
    const outgoing = { ...call, method: 'POST' as const, scope: 'operator' as const };
    await http.request(
      { ...outgoing, body: Buffer.from(call.body), headersTimeoutMs: 5_000, bodyTimeoutMs: 5_000 },
      1_000,
    );
    expect(calls).toMatchObject([toService[service]]);
    expect(calls[0]?.body).toEqual(toService[service].body);
    expect(calls[0]?.headers['content-type']).toBe('application/json');
    const signature = createHmac('sha256', 'secret').update(calls[0]!.raw).digest('hex');
    expect(calls[0]?.headers['x-webhook-signature']).toBe(service === 'Webhook' ? signature : undefined);
  });

  it.each(alarmServices)(
    '%s is believed by its own answer, and its failure names no address or secret',
    async (service) => {
      const places = placesOn(store.db);
      for (const { id } of await places.list()) await places.remove(id);
      const id = await places.add(placeOf(service));
      const alarms = processOn(store.db);
      answer = { status: 200, body: took[service] };
      expect(await alarms.test()).toEqual([{ way: String(id), name: service, failure: '' }]);
      answer = { status: 403, body: {} };
      const [refused] = await alarms.test();
      expect(refused?.failure).toBe(`${service} answered 403`);
      if (Object.keys(took[service]).length === 0 || service === 'Gotify') return;
      answer = { status: 200, body: { code: 19_021, errcode: 310_000, ok: false } };
      const [odd] = await alarms.test();
      expect(odd?.failure).toContain(`${service} refused the message`);
    },
  );

  it('with no usable address, or a mailbox that fails, says so', async () => {
    values.AlarmMail = 'broken@example.com';
    const places = placesOn(store.db);
    for (const { id } of await places.list()) await places.remove(id);
    const id = await places.add({ ...placeOf('Slack'), name: 'odd', address: 'nowhere' });
    expect(await processOn(store.db).test()).toEqual([
      { way: 'mail', name: 'broken@example.com', failure: 'no such mailbox' },
      { way: String(id), name: 'odd', failure: 'the address of the service is not valid' },
    ]);
  });
});
