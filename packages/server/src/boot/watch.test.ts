import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { boot, type RunningSite } from './boot.ts';
import { readEnv } from './env.ts';
import { lockSqlite } from '../testing/lock-sqlite.ts';

const token = 'a token for the figures';
let dataDir: string;
let tollgate: RunningSite;
let url: string;
let metricsUrl: string;
let key: string;

/** A port without a listener at this moment. */
const idlePort = async (): Promise<number> => {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
};

const start = async (more: Record<string, string>): Promise<RunningSite> =>
  boot(readEnv({ PORT: '0', HOST: '127.0.0.1', DATA_DIR: dataDir, LOG_LEVEL: 'silent', ...more }));

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tollgate-watch-'));
  const port = await idlePort();
  metricsUrl = `http://127.0.0.1:${port}/metrics`;
  tollgate = await start({ METRICS_TOKEN: token, METRICS_PORT: String(port) });
  url = `http://127.0.0.1:${tollgate.port}`;
  const answer = await fetch(`${url}/api/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      username: 'root',
      password: 'a good password',
      confirmPassword: 'a good password',
      SelfUseModeEnabled: false,
      DemoSiteEnabled: false,
      sandbox: true,
      token: tollgate.setupToken(),
    }),
  });
  key = `sk-${((await answer.json()) as { data: { key: string } }).data.key}`;
});
afterAll(async () => {
  await tollgate.close();
  await rm(dataDir, { recursive: true, force: true });
});

const readMetrics = (authorization?: string, from = `${url}/metrics`): Promise<Response> =>
  fetch(from, authorization === undefined ? {} : { headers: { authorization } });

/** The sum of a metric's samples that carry all of these labels. */
function figure(text: string, name: string, labels: Record<string, string> = {}): number {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return text
    .split('\n')
    .filter((line) => new RegExp(`^${name}[{ ]`).test(line) && wanted.every((each) => line.includes(each)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

describe('the metrics', () => {
  it('agree with what the calls cost and used', async () => {
    const sdk = new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });
    let charged = 0;
    let input = 0;
    let output = 0;
    for (const content of ['hello', 'a second question']) {
      const { data, response } = await sdk.chat.completions
        .create({ model: 'sandbox', messages: [{ role: 'user', content }] })
        .withResponse();
      charged += Number(response.headers.get('x-tollgate-cost'));
      input += data.usage?.prompt_tokens ?? 0;
      output += data.usage?.completion_tokens ?? 0;
    }
    const stream = await sdk.chat.completions.create({
      model: 'sandbox',
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: 'in pieces' }],
    });
    for await (const { usage } of stream) {
      input += usage?.prompt_tokens ?? 0;
      output += usage?.completion_tokens ?? 0;
    }
    await expect(
      sdk.chat.completions.create({ model: 'nobody-has-this', messages: [{ role: 'user', content: 'x' }] }),
    ).rejects.toThrow(/nobody-has-this/);

    const answer = await readMetrics(`Bearer ${token}`);
    expect(answer.headers.get('content-type')).toContain('text/plain');
    const text = await answer.text();
    const sandbox = { provider: 'sandbox', model: 'sandbox' };
    expect(figure(text, 'tollgate_relay_requests_total', { ...sandbox, outcome: 'complete' })).toBe(3);
    expect(figure(text, 'tollgate_relay_tokens_total', { ...sandbox, direction: 'input' })).toBe(input);
    expect(figure(text, 'tollgate_relay_tokens_total', { ...sandbox, direction: 'output' })).toBe(output);
    expect(figure(text, 'tollgate_relay_charged_quota_total', sandbox)).toBeGreaterThan(charged);
    expect(figure(text, 'tollgate_relay_request_duration_seconds_count')).toBe(3);
    expect(figure(text, 'tollgate_relay_time_to_first_byte_seconds_count', { stream: 'true' })).toBe(1);
    const [loaded] = await tollgate.core.channels.loadAll();
    const channel = String(loaded!.channel.id);
    const ofChannel = (name: string, labels = {}) =>
      figure(text, `tollgate_channel_${name}`, { channel, ...labels });
    expect(ofChannel('attempts_total', { outcome: 'succeeded' })).toBe(3);
    expect(ofChannel('first_byte_seconds_count')).toBe(3);
    expect(ofChannel('answer_seconds_count')).toBe(3);
    expect(ofChannel('stream_tokens_total')).toBeGreaterThan(0);
    expect(ofChannel('stream_seconds_total')).toBeGreaterThan(0);
    expect(figure(text, 'tollgate_relay_refusals_total', { blame: 'caller', status: '404' })).toBe(1);
    expect(figure(text, 'tollgate_relay_requests_in_flight')).toBe(0);
    expect(figure(text, 'process_resident_memory_bytes')).toBeGreaterThan(0);
    // No log rows move here, so the archive has no metrics.
    expect(text).not.toMatch(/^tollgate_log_archive/m);
  });

  it('have no user, key, address, or model name that only a caller invented', async () => {
    const text = await (await readMetrics(`Bearer ${token}`)).text();
    for (const word of ['root', key.slice(3), '127.0.0.1', 'nobody-has-this'])
      expect(text).not.toContain(word);
  });

  it.each([undefined, 'Bearer wrong', `Basic ${token}`, 'Bearer '])(
    'need the token: %s',
    async (authorization) => {
      const answer = await readMetrics(authorization);
      expect(answer.status).toBe(401);
      expect(await answer.text()).not.toContain('tollgate_relay');
    },
  );

  it('are on a port of their own, and nothing else is', async () => {
    expect(await (await readMetrics(undefined, metricsUrl)).text()).toContain(
      'tollgate_relay_requests_total',
    );
    expect((await fetch(metricsUrl.replace('/metrics', '/api/status'))).status).toBe(404);
  });

  it('do not exist where they are not configured', async () => {
    const other = await mkdtemp(join(tmpdir(), 'tollgate-unwatched-'));
    const unwatched = await start({ DATA_DIR: other });
    const answer = await fetch(`http://127.0.0.1:${unwatched.port}/metrics`);
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toContain('application/json');
    await unwatched.close();
    await rm(other, { recursive: true, force: true });
  });
});

describe('readiness', () => {
  const ready = async (): Promise<{ status: number; body: unknown }> => {
    const answer = await fetch(`${url}/readyz`);
    return { status: answer.status, body: await answer.json() };
  };
  const becomes = async (status: number): Promise<void> => {
    await expect.poll(async () => (await ready()).status, { timeout: 20_000, interval: 200 }).toBe(status);
  };

  it('is reported by a process that can take money', async () => {
    expect(await ready()).toEqual({ status: 200, body: { status: 'ready' } });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  it('ends while the database accepts no write, and returns with it; liveness stays', async () => {
    const unlock = await lockSqlite(tollgate.core.store.sqlite!.path);
    try {
      await becomes(503);
      expect((await ready()).body).toEqual({ status: 'unready', reasons: ['database'] });
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
    } finally {
      await unlock();
    }
    await becomes(200);
  });
});
