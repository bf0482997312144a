import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { boot, type RunningSite } from './boot.ts';
import { closeCore, openCore } from './site.ts';
import { readEnv } from './env.ts';
import { sandbox } from '../relay/providers/sandbox/index.ts';
import { checkBooks } from '../services/money/ledger/index.ts';
import { addCaller } from '../testing/gateway-harness.ts';
import { lockSqlite } from '../testing/lock-sqlite.ts';

let dataDir: string;
let tollgate: RunningSite;
let url: string;

const open = async () => {
  tollgate = await boot(
    readEnv({ PORT: '0', HOST: '127.0.0.1', DATA_DIR: dataDir, LOG_LEVEL: 'silent', DRAIN_SECONDS: '5' }),
  );
  url = `http://127.0.0.1:${tollgate.port}`;
};

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tollgate-boot-'));
  await open();
});
afterAll(async () => {
  await tollgate.close();
  await rm(dataDir, { recursive: true, force: true });
});

const call = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
  const answer = await fetch(url + path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const cookie = answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  return {
    status: answer.status,
    cookie,
    body: (await answer.json()) as { success: boolean; message: string; data: unknown },
  };
};

const form = {
  username: 'root',
  password: 'a good password',
  confirmPassword: 'a good password',
  SelfUseModeEnabled: false,
  DemoSiteEnabled: false,
};
const withToken = () => ({ ...form, token: tollgate.setupToken() });
let key: string;

describe('a fresh installation', () => {
  it('has no account and no access besides its setup', async () => {
    expect(
      (await call('POST', '/api/user/login', { username: 'root', password: '123456' })).body.success,
    ).toBe(false);
    expect((await call('GET', '/api/setup')).body.data).toMatchObject({ status: false, root_init: false });
    expect((await call('GET', '/api/option/')).status).toBe(401);
  });

  it('is set up once, and its first call works without any vendor and has its cost', async () => {
    const done = await call(
      'POST',
      '/api/setup',
      { ...withToken(), sandbox: true },
      {
        'accept-language': 'en',
      },
    );
    expect(done.body).toMatchObject({ success: true, message: 'System initialization succeeded' });
    key = `sk-${(done.body.data as { key: string }).key}`;
    expect((await call('POST', '/api/setup', form)).body.success).toBe(false);

    const sdk = new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });
    const { data, response } = await sdk.chat.completions
      .create({ model: 'sandbox', messages: [{ role: 'user', content: 'hello' }] })
      .withResponse();
    expect(data.choices[0]!.message.content).toBeTruthy();
    expect(Number(response.headers.get('x-tollgate-cost'))).toBeGreaterThan(0);
  });

  it('shows its owner the row of that call, with a receipt that adds up', async () => {
    const { cookie, body } = await call('POST', '/api/user/login', {
      username: 'root',
      password: form.password,
    });
    const { id } = body.data as { id: number };
    const headers = { cookie, 'new-api-user': String(id) };
    const logs = await call('GET', '/api/log/?type=2', undefined, headers);
    const [row] = (logs.body.data as { items: { id: number; quota: number; model_name: string }[] }).items;
    // The names of channel and token are in the language of the setup request.
    expect(row).toMatchObject({ model_name: 'sandbox', token_name: 'sandbox' });
    const receipt = await call('GET', `/api/log/${row!.id}/receipt`, undefined, headers);
    expect(receipt.body).toMatchObject({ success: true });
  });

  it('prices every model of the sandbox', () => {
    for (const model of sandbox.models) expect(tollgate.core.pricing.isPriced(model), model).toBe(true);
  });

  it.each([
    '/v1/videos/x',
    '/v1beta/files',
    '/upload/v1beta/files',
    '/mj/task/1/fetch',
    '/relax/mj/image/1',
    '/suno/fetch',
    '/kling/v1/videos/x',
    '/jimeng',
    '/openai/deployments/x/chat/completions',
    '/ws/google.ai',
    '/v3/models',
    '/api/user/checkin',
  ])('never answers an API client with a page: GET %s', async (path) => {
    const answer = await fetch(url + path);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.headers.get('content-type')).toContain('application/json');
  });

  it('answers unknown paths in the shape that clients know', async () => {
    for (const path of ['/v1/nothing', '/api/nothing']) {
      expect(await (await fetch(url + path)).json()).toMatchObject({
        error: {
          message: expect.stringContaining(`Invalid URL (GET ${path})`) as string,
          type: 'invalid_request_error',
        },
      });
    }
  });
});

describe('a stop', () => {
  it('lets running streams end, refuses new calls, and the next start finds everything again', async () => {
    const sdk = new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });
    const stream = await sdk.chat.completions.create({
      model: 'sandbox',
      stream: true,
      messages: [{ role: 'user', content: 'a few words please' }],
    });
    const closing = tollgate.close();
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    expect(text.length).toBeGreaterThan(0);
    await closing;
    await expect(fetch(`${url}/api/status`)).rejects.toThrow('fetch failed');
    await open();
    expect(tollgate.isSetUp()).toBe(true);
    expect(await checkBooks(tollgate.core.store.db)).toEqual([]);
    const again = new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });
    expect((await again.models.list()).data.map(({ id }) => id)).toContain('sandbox');
  });
});

describe('a start on a database that takes no writes', () => {
  it('with holds to end goes on, refuses new holds, and ends the old ones when it takes them', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-start-'));
    const env = readEnv({ DATA_DIR: folder, LOG_LEVEL: 'silent' });
    const bounds = { ledgerBounds: { reserveWaitMs: 300 } };
    const before = await openCore(env);
    const { accountId, userId, tokenId } = await addCaller(before, {
      balance: 1_000,
      allowance: null,
      group: 'default',
    });
    const asked = { accountId, userId, tokenId, channelId: 1, tokenUnlimited: true, request: '{}' };
    await (
      await before.ledger.reserve({ ...asked, requestId: 'left', amount: 100 })
    ).durable;
    before.ledger.abandon();
    await before.store.close();

    const { path } = before.store.sqlite!;
    const unlock = await lockSqlite(path);
    const core = await openCore(env, undefined, bounds);
    await expect.poll(() => core.ledger.isRefusing(), { timeout: 10_000 }).toBe(true);
    await unlock();
    await expect.poll(() => core.ledger.isRefusing(), { timeout: 10_000 }).toBe(false);
    await core.ledger.flush();
    const rows = await core.store.db.selectFrom('holds').select('request_id').execute();
    expect(rows).toEqual([]);
    expect(await checkBooks(core.store.db, { atRest: true })).toEqual([]);
    await closeCore(core);
    await rm(folder, { recursive: true, force: true });
  });
});
