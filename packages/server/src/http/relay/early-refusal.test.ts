import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { logType } from '@tollgate/contract';
import { logs } from '../../store/index.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';

const mb = 1024 * 1024;
let gate: GatewayHarness;
let rich: TestCaller;
let other: TestCaller;
let poor: TestCaller;
let spent: TestCaller;

beforeAll(async () => {
  gate = await openGateway({
    MAX_REQUEST_BODY_MB: '4',
    BODY_MEMORY_MB: '6',
    BODY_MEMORY_PER_KEY_MB: '5',
  });
  await gate.addChannel({ models: 'gpt-4o-mini,claude-sonnet-4-20250514' });
  rich = await gate.addCaller({ balance: 10_000_000 });
  other = await gate.addCaller({ balance: 10_000_000 });
  poor = await gate.addCaller({ balance: 0 });
  spent = await gate.addCaller({ balance: 10_000_000, allowance: 0 });
});
afterAll(() => gate.close());

const open: Socket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy();
});

/** A caller on a bare socket: the received text, and whether the connection ended normally or with a reset. */
class Caller {
  readonly socket: Socket;
  heard = '';
  ended = '';

  constructor() {
    this.socket = connect(Number(new URL(gate.url).port), '127.0.0.1');
    open.push(this.socket);
    this.socket.on('data', (bytes) => (this.heard += bytes.toString('latin1')));
    this.socket.on('end', () => (this.ended ||= 'end'));
    this.socket.on('error', (error) => (this.ended ||= String(error)));
  }

  send(
    key: string,
    headers: Record<string, string | number>,
    body: Buffer | string = '',
    path = '/v1/chat/completions',
  ) {
    const lines = [
      `POST ${path} HTTP/1.1`,
      'Host: tollgate.test',
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ];
    this.socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    if (body.length > 0) this.socket.write(body);
    return this;
  }

  async answer(): Promise<string> {
    await vi.waitUntil(() => /\r\n\r\n[^]*\}/.test(this.heard), { timeout: 20_000, interval: 20 });
    return this.heard;
  }
}

const chat = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] });
const padded = (bytes: number): string => chat.slice(0, -1).padEnd(bytes - 1) + '}';

describe('a body', () => {
  it.each<[string, Record<string, string | number>]>([
    ['of a megabyte or more', { 'Content-Length': 3 * mb }],
    ['of unknown length', { 'Transfer-Encoding': 'chunked' }],
    ['that is packed', { 'Content-Length': 5_000, 'Content-Encoding': 'gzip' }],
    ['that is small', { 'Content-Length': 5_000 }],
  ])('%s is not read where there is no balance', async (_name, headers) => {
    const answer = await new Caller().send(poor.key, headers).answer();
    expect(answer).toMatch(/^HTTP\/1.1 403 /);
    expect(answer).toContain('insufficient_user_quota');
    const allowance = await new Caller().send(spent.key, headers).answer();
    expect(allowance).toMatch(/^HTTP\/1.1 40[13] /);
  });

  it('that is not read has the log row of its refusal all the same', async () => {
    const broke = await gate.addCaller({ balance: 0 });
    expect(await new Caller().send(broke.key, { 'Content-Length': 5_000 }).answer()).toMatch(
      /^HTTP\/1.1 403 /,
    );
    const filters = { userId: broke.userId, type: logType.error };
    const rows = async () =>
      (await logs.list(gate.core.store.db, filters, { offset: 0, limit: 9 })).rows.map(
        ({ other, quota }) => ({
          quota,
          other: JSON.parse(other) as unknown,
        }),
      );
    await expect.poll(rows).toMatchObject([{ quota: 0, other: { status_code: 403 } }]);
  });

  it('that is long ends its connection with the refusal, which arrives although the caller goes on sending', async () => {
    const caller = new Caller().send(poor.key, { 'Content-Length': 3 * mb }, Buffer.alloc(2 * mb, ' '));
    expect(await caller.answer()).toMatch(/^HTTP\/1.1 403 [^]*\r\nconnection: close\r\n/i);
    await vi.waitFor(() => expect(caller.ended).toBe('end'), { timeout: 20_000 });
  });

  it('that is small keeps the connection for the next call', async () => {
    const caller = new Caller().send(poor.key, { 'Content-Length': chat.length });
    expect(await caller.answer()).toMatch(/^HTTP\/1.1 403 /);
    caller.heard = '';
    caller.socket.write(chat);
    caller.send(rich.key, { 'Content-Length': chat.length }, chat);
    expect(await caller.answer()).toMatch(/^HTTP\/1.1 200 /);
  });

  it('is not read where the rate limit is reached', async () => {
    await gate.core.settings.setMany({
      ModelRequestRateLimitEnabled: 'true',
      ModelRequestRateLimitCount: '1',
      ModelRequestRateLimitSuccessCount: '100',
      ModelRequestRateLimitDurationMinutes: '5',
    });
    try {
      const first = new Caller().send(other.key, { 'Content-Length': chat.length }, chat);
      expect(await first.answer()).toMatch(/^HTTP\/1.1 200 /);
      const second = new Caller().send(other.key, { 'Content-Length': 3 * mb });
      expect(await second.answer()).toMatch(/^HTTP\/1.1 429 /);
    } finally {
      await gate.core.settings.set('ModelRequestRateLimitEnabled', 'false');
    }
  });

  it('gets no 100 Continue where it would be refused', async () => {
    const headers = { 'Content-Length': chat.length, Expect: '100-continue' };
    expect(await new Caller().send(poor.key, headers).answer()).toMatch(/^HTTP\/1.1 403 /);
    const caller = new Caller().send(rich.key, headers);
    await vi.waitFor(() => expect(caller.heard).toContain('HTTP/1.1 100 Continue'), { timeout: 20_000 });
    caller.socket.write(chat);
    await vi.waitFor(() => expect(caller.heard).toContain('HTTP/1.1 200 OK'), { timeout: 20_000 });
  });

  it('that is a decompression bomb is refused, and the connection is closed', async () => {
    const bomb = gzipSync(Buffer.alloc(40 * mb, ' '));
    const headers = { 'Content-Length': bomb.length, 'Content-Encoding': 'gzip' };
    const caller = new Caller().send(rich.key, headers, bomb);
    expect(await caller.answer()).toMatch(/^HTTP\/1.1 413 /);
    const long = new Caller().send(rich.key, { 'Transfer-Encoding': 'chunked', 'Content-Encoding': 'gzip' });
    long.socket.write(`${bomb.length.toString(16)}\r\n`);
    long.socket.write(bomb);
    expect(await long.answer()).toMatch(/^HTTP\/1.1 413 [^]*\r\nconnection: close\r\n/i);
    await vi.waitFor(() => expect(long.ended).toBe('end'), { timeout: 20_000 });
  });
});

describe('a key that is disabled while its caller sends the body', () => {
  it.each([
    ['as JSON', '/v1/chat/completions'],
    ['for a task', '/suno/submit/music'],
  ])('authorizes no call (%s)', async (_what, path) => {
    const { db } = gate.core.store;
    const late = await gate.addCaller({ balance: 10_000_000 });
    const caller = new Caller().send(late.key, { 'Content-Length': chat.length }, chat.slice(0, 20), path);
    await vi.waitUntil(() => gate.relay.bodyBytes() > 0, { timeout: 20_000, interval: 5 });
    await db.updateTable('tokens').set({ status: 2 }).where('id', '=', late.tokenId).execute();
    gate.core.keys.forgetToken(late.tokenId);
    caller.socket.write(chat.slice(20));
    expect(await caller.answer()).toMatch(/^HTTP\/1.1 401 /);
    expect(await gate.readBalance(late)).toEqual({ balance: 10_000_000, held: 0 });
  });
});

describe('the memory for bodies', () => {
  const settled = () => vi.waitFor(() => expect(gate.relay.bodyBytes()).toBe(0), { timeout: 20_000 });
  const filled = (bytes: number) =>
    vi.waitFor(() => expect(gate.relay.bodyBytes()).toBeGreaterThanOrEqual(bytes), { timeout: 20_000 });

  it('is bounded by key: beyond it the caller gets 429 in their protocol, and other keys are served', async () => {
    const slow = new Caller().send(rich.key, { 'Content-Length': 4 * mb }, Buffer.alloc(4 * mb - 10, ' '));
    await filled(3.9 * mb);
    const beyond = new Caller().send(
      rich.key,
      { 'Content-Length': 3 * mb },
      Buffer.alloc(2 * mb, ' '),
      '/v1/messages',
    );
    const answer = await beyond.answer();
    expect(answer).toMatch(/^HTTP\/1.1 429 [^]*\r\nretry-after: \d+\r\n/i);
    expect(answer).toContain('"type":"error"');
    expect(await new Caller().send(other.key, { 'Content-Length': chat.length }, chat).answer()).toMatch(
      /^HTTP\/1.1 200 /,
    );
    slow.socket.destroy();
    await settled();
  });

  it('is bounded for the process: beyond it every caller gets 503 until memory is free', async () => {
    const slow = [rich, other].map(({ key }, index) => {
      const bytes = index === 0 ? 3.5 * mb : 2.2 * mb;
      return new Caller().send(key, { 'Content-Length': 4 * mb }, Buffer.alloc(bytes, ' '));
    });
    await filled(5.6 * mb);
    const body = padded(900_000);
    const answer = await new Caller().send(other.key, { 'Content-Length': body.length }, body).answer();
    expect(answer).toMatch(/^HTTP\/1.1 503 [^]*\r\nretry-after: \d+\r\n/i);
    for (const { socket } of slow) socket.destroy();
    await settled();
    const again = await new Caller().send(other.key, { 'Content-Length': body.length }, body).answer();
    expect(again).toMatch(/^HTTP\/1.1 200 /);
    await settled();
  });

  it('counts decompressed bytes', async () => {
    const slow = new Caller().send(rich.key, { 'Content-Length': 4 * mb }, Buffer.alloc(3 * mb, ' '));
    await filled(2.9 * mb);
    const packed = gzipSync(padded(3 * mb));
    const headers = { 'Content-Length': packed.length, 'Content-Encoding': 'gzip' };
    expect(await new Caller().send(rich.key, headers, packed).answer()).toMatch(/^HTTP\/1.1 429 /);
    slow.socket.destroy();
    await settled();
  });

  it('is released after every outcome of a call', async () => {
    const bodies = [chat, '{', padded(2 * mb), chat.replace('gpt-4o-mini', 'nothing')];
    for (const body of bodies) {
      await new Caller().send(rich.key, { 'Content-Length': Buffer.byteLength(body) }, body).answer();
    }
    await settled();
    expect(gate.relay.bodyBytes()).toBe(0);
  });
});
