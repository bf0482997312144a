import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createFileFetch } from './gateway/upstream/fetch-file.ts';
import { ToolServers } from './gateway/upstream/index.ts';
import { ForbiddenAddress } from './lib/outbound/address.ts';
import { createHttp, type Outgoing } from './lib/outbound/http.ts';
import { createGuard, type OutboundGuard, type Resolve } from './lib/outbound/outbound-guard.ts';
import { unsavedChannel } from './relay/types/index.ts';
import { openSocket } from './lib/websocket/websocket.ts';
import { testEngine } from './testing/test-engine.ts';
import { createMailer } from './services/site/notify/mailer.ts';
import { createWebhookSender } from './services/site/notify/webhook.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

/** A listener that counts who comes and answers an empty 200. */
async function listener(): Promise<{ port: number; visits: () => number }> {
  let visits = 0;
  const server: Server = createServer((socket) => {
    visits += 1;
    socket.on('error', () => undefined);
    socket.once('data', () =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({ close: () => server.close() });
  return { port: (server.address() as AddressInfo).port, visits: () => visits };
}

const settingsOf = (values: Record<string, unknown>) => ({
  get: (name: string) => values[name] ?? (name === 'SMTPPort' ? 25 : ''),
});

/** Names in strange forms are looked up, four at a time, by resolvers that may be slow to know none of them (ms). */
const lookUpMs = 60_000;

/** One kind of outgoing connection: tries to reach a host, as its URL spells it, and rejects where it is refused. */
type Kind = (host: string, guard: OutboundGuard) => Promise<unknown>;

const call = (url: string, more: Partial<Outgoing> = {}): Outgoing => ({
  method: 'GET',
  url,
  headers: {},
  scope: 'operator',
  headersTimeoutMs: lookUpMs,
  bodyTimeoutMs: lookUpMs,
  ...more,
});

const http = (guard: OutboundGuard) => {
  const client = createHttp(guard, { engine: testEngine });
  open.push(client);
  return client;
};

const overHttp =
  (scheme: string, more: Partial<Outgoing> = {}, port = ''): Kind =>
  (host, guard) =>
    http(guard).request(call(`${scheme}://${host}${port}/latest`, more), 1_000);

const overSocket =
  (scheme: string, proxy = ''): Kind =>
  (host, guard) =>
    openSocket(
      {
        url: `${scheme}://${host}/`,
        headers: {},
        protocols: [],
        scope: 'operator',
        proxy,
        handshakeTimeoutMs: lookUpMs,
        limits: {
          maxPayloadBytes: 1_000,
          fullBytes: 1_000,
          stuckAfterMs: 1_000,
          pingEveryMs: 1_000,
          closeGraceMs: 1_000,
        },
        signal: new AbortController().signal,
      },
      guard,
    );

const smtp: Kind = (host, guard) =>
  createMailer({
    settings: settingsOf({ SMTPServer: host, SMTPFrom: 'a@b.test', SystemName: 'x' }) as never,
    guard,
  }).send({ to: 'c@d.test', subject: 's', html: 'h', text: 'h' });

/** What operators set up, straight and through proxies, and the proxies themselves. */
function operatorKinds(proxyPort: number): Record<string, Kind> {
  const kinds: Record<string, Kind> = {
    'an http call': overHttp('http'),
    'an https call': overHttp('https'),
    'a call to another port': overHttp('http', {}, ':8080'),
    'a socket': overSocket('http'),
    'a secure socket': overSocket('https'),
    'a mail': smtp,
    'a tool server': (host, guard) =>
      new ToolServers({ http: http(guard), clock: Date.now }).listNow(
        unsavedChannel({ type: 9002, key: '', baseUrl: `http://${host}/mcp` }),
      ),
  };
  for (const scheme of ['http', 'https', 'socks5', 'socks5h']) {
    const proxy = `${scheme}://127.0.0.1:${proxyPort}`;
    kinds[`an http call through ${scheme}`] = overHttp('http', { proxy });
    kinds[`an https call through ${scheme}`] = overHttp('https', { proxy });
    kinds[`a socket through ${scheme}`] = overSocket('http', proxy);
    kinds[`a secure socket through ${scheme}`] = overSocket('https', proxy);
    const by = (host: string): string =>
      `${scheme}://${host}${scheme.startsWith('socks') ? ':1080' : ':3128'}`;
    kinds[`an http call by a proxy of ${scheme}`] = (host, guard) =>
      overHttp('http', { proxy: by(host) })('127.0.0.1', guard);
    kinds[`an https call by a proxy of ${scheme}`] = (host, guard) =>
      overHttp('https', { proxy: by(host) })('127.0.0.1', guard);
    kinds[`a socket by a proxy of ${scheme}`] = (host, guard) =>
      overSocket('https', by(host))('127.0.0.1', guard);
  }
  return kinds;
}

/** Addresses that users enter. */
const publicKinds: Record<string, Kind> = {
  'a public call': overHttp('http', { scope: 'public' }),
  'a public call over TLS': overHttp('https', { scope: 'public' }),
  'a file': (host, guard) =>
    createFileFetch({ http: http(guard), settings: settingsOf({}) as never, maxBytes: 1_000 })(
      `https://${host}/a.png`,
    ),
  'a webhook': (host, guard) =>
    createWebhookSender({ http: http(guard), settings: settingsOf({}) as never })(
      { url: `https://${host}/hook`, body: '{}', headers: {} },
      '',
    ),
};

/** An IPv4 address in every form that a parser of URLs or a resolver takes for it. */
function formsOf(address: string): string[] {
  const [a, b, c, d] = address.split('.').map(Number) as [number, number, number, number];
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  const hex = (...bytes: number[]): string =>
    bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const [high, low] = [hex(a, b), hex(c, d)];
  const wide = address
    .split('')
    .map((char) => (char === '.' ? char : String.fromCodePoint(0xff10 + Number(char))))
    .join('');
  return [
    address,
    `${address}.`,
    [a, b, c, d].map((byte) => `0${byte.toString(8)}`).join('.'),
    [a, b, c, d].map((byte) => `0x${byte.toString(16)}`).join('.'),
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    String(whole),
    `0x${hex(a, b, c, d)}`,
    `0${whole.toString(8)}`,
    wide,
    wide.replaceAll('.', '。'),
    `user:word@${address}`,
    `example.com@${address}`,
    `${address}\\@example.com`,
    address.replace('.', '\t.'),
    address.replaceAll('.', '%2e'),
    `[::ffff:${address}]`,
    `[::ffff:${high}:${low}]`,
    `[0:0:0:0:0:ffff:${high}:${low}]`,
    `[::${address}]`,
    `[::${high}:${low}]`,
    `[::ffff:0:${high}:${low}]`,
    `[64:ff9b::${address}]`,
    `[64:ff9b:1::${high}:${low}]`,
    `[2002:${high}:${low}::]`,
    `[2001:0:${high}:${low}::1]`,
  ];
}

const metadataForms = [
  ...formsOf('169.254.169.254'),
  ...formsOf('100.100.100.200'),
  ...formsOf('168.63.129.16'),
  ...formsOf('192.0.0.192'),
  '[fe80::a9fe:a9fe]',
  '[fd00:ec2::254]',
  '[fd00:0ec2:0:0:0:0:0:254]',
  '[fd20:ce::254]',
  '[fec0::1]',
  '0.0.0.0',
  '0',
  '[::]',
  '224.0.0.1',
];
const privateForms = [
  ...metadataForms,
  ...formsOf('127.0.0.1'),
  ...formsOf('10.0.0.1'),
  ...formsOf('192.168.1.1'),
  'localhost',
  'LOCALHOST.',
  '[::1]',
  '[fc00::1]',
];

/** How a try ended: refused by the guard, no address at all, or an escape. */
async function outcome(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return 'escaped';
  } catch (error) {
    for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
      if (cause instanceof ForbiddenAddress || cause.message.includes('is not allowed')) return 'refused';
      const code = 'code' in cause ? cause.code : '';
      // Not an address to any parser: nothing is connected to.
      if (code === 'ERR_INVALID_URL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'refused';
    }
    return `escaped: ${String(error)}`;
  }
}

async function escapes(
  kinds: Record<string, Kind>,
  hosts: string[],
  guard = createGuard(),
): Promise<string[]> {
  const found: string[] = [];
  for (const [name, kind] of Object.entries(kinds)) {
    const ends = await Promise.all(hosts.map(async (host) => [host, await outcome(() => kind(host, guard))]));
    for (const [host, end] of ends) if (end !== 'refused') found.push(`${name} to ${host} ${end}`);
  }
  return found;
}

/** A resolver whose answers change from question to question; the last one stays. */
function resolverOf(zones: Record<string, string[][]>): Resolve & { asked: string[] } {
  const asked: string[] = [];
  const resolve: Resolve = (name, _options, callback) => {
    const answers = zones[name] ?? [];
    asked.push(name);
    const found = answers.length > 1 ? answers.shift() : answers[0];
    const error = found
      ? null
      : Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' });
    queueMicrotask(() =>
      callback(
        error,
        (found ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      ),
    );
  };
  return Object.assign(resolve, { asked });
}

describe('outgoing connections', () => {
  it('of every kind reach no metadata, however the address is written, and no proxy hears of it', async () => {
    const proxy = await listener();
    expect(await escapes(operatorKinds(proxy.port), metadataForms)).toEqual([]);
    expect(proxy.visits()).toBe(0);
  }, 300_000);

  it('that users name reach nothing private, however the address is written', async () => {
    expect(await escapes(publicKinds, privateForms)).toEqual([]);
  }, 300_000);

  it('reach no metadata by a name', async () => {
    const proxy = await listener();
    const zones = Object.fromEntries(
      ['169.254.169.254', 'fd00:ec2::254', '::a9fe:a9fe', '::ffff:169.254.169.254', '100.100.100.200'].map(
        (address, index) => [`m${index}.test`, [[address]]],
      ),
    );
    const guard = createGuard({ resolve: resolverOf(zones) });
    expect(
      await escapes({ ...operatorKinds(proxy.port), ...publicKinds }, Object.keys(zones), guard),
    ).toEqual([]);
    expect(proxy.visits()).toBe(0);
  });

  it('reach no metadata by the names that clouds give to it, although nobody here knows them', async () => {
    const proxy = await listener();
    const names = ['metadata', 'metadata.google.internal', 'metadata.goog', 'metadata.tencentyun.com'];
    const forms = [...names, 'instance-data', 'METADATA.google.INTERNAL', 'metadata.google.internal.'];
    const spelt = [...forms, 'ｍetadata.google.internal', 'metadata。google。internal', 'u:p@metadata'];
    const guard = createGuard({ resolve: resolverOf({}) });
    expect(await escapes({ ...operatorKinds(proxy.port), ...publicKinds }, spelt, guard)).toEqual([]);
    expect(proxy.visits()).toBe(0);
  });

  it('reach nothing private by a name that users gave', async () => {
    const guard = createGuard({
      resolve: resolverOf({ 'a.test': [['127.0.0.1', '::1']], 'b.test': [['::ffff:10.0.0.1']] }),
    });
    expect(await escapes(publicKinds, ['a.test', 'b.test'], guard)).toEqual([]);
  });

  it('go to the address that was judged: a name is resolved once, and mixed answers lose the bad ones', async () => {
    const here = await listener();
    const resolve = resolverOf({
      'mixed.test': [['169.254.169.254', '127.0.0.1']],
      'rebinds.test': [['127.0.0.1'], ['169.254.169.254']],
    });
    const client = http(createGuard({ resolve }));
    const get = (name: string) => client.request(call(`http://${name}:${here.port}/`), 1_000);
    expect((await get('mixed.test')).status).toBe(200);
    expect((await get('rebinds.test')).status).toBe(200);
    expect(resolve.asked).toEqual(['mixed.test', 'rebinds.test']);
    expect(await outcome(() => get('rebinds.test'))).toBe('refused');
    expect(here.visits()).toBe(2);
  });

  it('through a proxy are refused where any address of the name is forbidden, and pass where it is not known here', async () => {
    const proxy = await listener();
    const resolve = resolverOf({ 'mixed.test': [['93.184.216.34', '169.254.169.254']] });
    const client = http(createGuard({ resolve }));
    const get = (name: string) =>
      client.request(call(`http://${name}/`, { proxy: `http://127.0.0.1:${proxy.port}` }), 1_000);
    expect(await outcome(() => get('mixed.test'))).toBe('refused');
    expect(proxy.visits()).toBe(0);
    expect((await get('only-there.test')).status).toBe(200);
  });

  it('that users name have the ports of the web, and those of the operator', async () => {
    for (const port of [22, 25, 6379, 8080]) {
      const url = `http://93.184.216.34:${port}/`;
      expect(await outcome(() => http(createGuard()).request(call(url, { scope: 'public' }), 1)), url).toBe(
        'refused',
      );
    }
    const guard = createGuard({ publicPorts: [8443] });
    const place = (port: number) => ({ host: 'a.test', port });
    for (const port of [80, 443, 8443]) expect(() => guard.check(place(port), 'public')).not.toThrow();
    expect(() => guard.check(place(8444), 'public')).toThrow(ForbiddenAddress);
    expect(() => guard.check(place(11_434), 'operator')).not.toThrow();
  });

  it('are made nowhere but where the guard is asked', () => {
    const roots = [import.meta.dirname, join(import.meta.dirname, '../../http-engine/src')];
    const connects =
      /\b(?:from |import\()'(node:)?(net|tls|http|https|http2|dgram|undici|ws)'|\bnodeHttp\.|\bfetch\(/;
    const isSource = (path: string): boolean =>
      path.endsWith('.ts') &&
      !path.endsWith('.test.ts') &&
      !/^(testing|scoreboard)\/|^store\/each-dialect/.test(path);
    const opens = (line: string): boolean =>
      line.includes('getBuiltinModule') ||
      (connects.test(line) &&
        /\b(connect|request|get|Agent|Pool|Client|WebSocket|fetch|createSocket)\b/.test(line));
    const opening = roots.flatMap((root) =>
      readdirSync(root, { recursive: true, encoding: 'utf8' })
        .filter(isSource)
        .filter((path) => readFileSync(join(root, path), 'utf8').split('\n').some(opens)),
    );
    expect(opening.sort()).toEqual([
      // Its far side is the first process of this installation, at a Unix socket.
      'boot/workers/forward.ts',
      'client/open-socket.ts',
      // The commands of an operator, who names the site that they ask.
      'commands/shared/site-calls.ts',
      'commands/verify.ts',
      // Its sockets come from the connector that it is given, which asks the guard.
      'lib/outbound/bounded-pool.ts',
      'lib/outbound/tunnel.ts',
      // Its sockets are handed to it.
      'lib/websocket/frame-socket.ts',
      'lib/websocket/websocket.ts',
      // It hands Node's module on; who opens something with it is in this list.
      'node-http.ts',
      'services/site/notify/mailer.ts',
    ]);
  });
});
