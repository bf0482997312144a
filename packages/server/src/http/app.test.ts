import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError, route } from '@tollgate/contract';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Identity } from '../services/people/auth/index.ts';
import { answer } from './answer.ts';
import { createApp } from './app.ts';
import { createClientReader } from './context.ts';
import { implement, type MountedRoute } from './implement.ts';
import { createIpLimiter, type IpLimitRules } from './ip-limit.ts';
import { noAudit } from '../testing/rerating/bed.ts';

const summary = { zh: '探针', en: 'A probe' };

const api = {
  plain: route('GET', '/api/probe/plain', {
    summary,
    access: 'public',
    input: z.object({ p: z.coerce.number().default(1) }),
    data: z.object({ p: z.number() }),
  }),
  extra: route('GET', '/api/probe/extra', {
    summary,
    access: 'public',
    input: z.object({}),
    data: z.null(),
    extra: z.object({ time: z.number() }),
  }),
  post: route('POST', '/api/probe/:id', {
    summary,
    access: 'public',
    critical: true,
    input: z.object({ id: z.coerce.number(), name: z.string().max(3), flag: z.string().default('') }),
    data: z.object({ id: z.number(), name: z.string(), flag: z.string() }),
    done: { zh: '好', en: 'good' },
  }),
  broken: route('GET', '/api/probe/broken', {
    summary,
    access: 'public',
    input: z.object({}),
    data: z.null(),
  }),
  failed: route('GET', '/api/probe/failed', {
    summary,
    access: 'public',
    input: z.object({}),
    data: z.null(),
    extra: z.object({ time: z.number() }),
  }),
};

const routes = implement(api, {
  // A row always has more columns than the response shows.
  plain: ({ p }) => ({ p, password: 'argon2id$secret' }),
  extra: () => ({ data: null, extra: { time: 1.5 } }),
  post: (input) => input,
  broken: () => {
    throw new Error('connect postgres://user:hunter2@10.0.0.5 failed');
  },
  failed: () => answer({ success: false, message: '超时', data: null, extra: { time: 2 } }),
});

const noLimits: IpLimitRules = { api: null, web: null, critical: null };
const logged: object[] = [];
const log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: (fields: object) => void logged.push(fields),
};

let webRoot: string;
let app: FastifyInstance | undefined;

async function start(options: { rules?: IpLimitRules; routes?: MountedRoute[]; trusted?: string[] } = {}) {
  const hits = new Map<string, number>();
  const hit = (name: string): number => {
    const count = (hits.get(name) ?? 0) + 1;
    hits.set(name, count);
    return count;
  };
  app = await createApp({
    routes: options.routes ?? routes,
    auth: { bySession: async () => null, byAccessToken: async (): Promise<Identity | null> => null },
    clients: createClientReader(options.trusted ?? []),
    limit: createIpLimiter({ rules: options.rules ?? noLimits, hit, log }),
    audit: noAudit,
    isDemoFor: () => false,
    checkHuman: async () => undefined,
    meetDemand: async () => undefined,
    membership: () => Promise.reject(new Error('no team here')),
    serverAddress: () => 'https://gate.example',
    outsideSources: () => ({ scripts: [], frames: [] }),
    siteLanguage: () => undefined,
    webRoot,
    maxBodyBytes: 1_000,
    clock: () => 1_000_000,
    log,
  });
  return app;
}

beforeEach(() => {
  logged.length = 0;
  webRoot = mkdtempSync(join(tmpdir(), 'tollgate-web-'));
  mkdirSync(join(webRoot, 'assets'));
  writeFileSync(join(webRoot, 'index.html'), '<!doctype html><title>console</title>');
  writeFileSync(join(webRoot, 'assets', 'app-1a2b.js'), 'export {}');
});
afterEach(async () => {
  await app?.close();
  rmSync(webRoot, { recursive: true, force: true });
});

describe('a console call', () => {
  it('answers with the envelope, and with only those data that the contract names', async () => {
    await start();
    const response = await app!.inject('/api/probe/plain?p=3');
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({ success: true, message: '', data: { p: 3 } });
  });

  it('has its top-level fields, in success and failure', async () => {
    await start();
    expect((await app!.inject('/api/probe/extra')).json()).toEqual({
      success: true,
      message: '',
      data: null,
      time: 1.5,
    });
    expect((await app!.inject('/api/probe/failed')).json()).toMatchObject({
      success: false,
      message: '超时',
      time: 2,
    });
  });

  it('is reached with a trailing slash and without', async () => {
    await start();
    expect((await app!.inject('/api/probe/plain/')).statusCode).toBe(200);
  });

  it('is limited and kept out of caches however its address is written', async () => {
    await start({ rules: { ...noLimits, api: { count: 4, seconds: 60 } } });
    const forms = ['/api/probe/plain', '/%61pi/probe/plain', '/ap%69/probe/plain/', '/api/probe/%70lain?p=1'];
    for (const form of forms) {
      const response = await app!.inject(form);
      expect([response.statusCode, response.headers['cache-control']], form).toEqual([200, 'no-store']);
    }
    for (const form of forms) expect((await app!.inject(form)).statusCode, form).toBe(429);
  });

  it('merges query, body and path; the path wins, so that a body cannot name another row', async () => {
    await start();
    const response = await app!.inject({
      method: 'POST',
      url: '/api/probe/7?flag=on&id=9',
      payload: { id: 8, name: 'abc' },
      headers: { 'accept-language': 'en-US,en;q=0.9,zh;q=0.5' },
    });
    expect(response.json()).toEqual({
      success: true,
      message: 'good',
      data: { id: 7, name: 'abc', flag: 'on' },
    });
  });

  it('refuses invalid input in the caller’s language, with a code and the request id', async () => {
    await start();
    const ask = (language: string) =>
      app!.inject({
        method: 'POST',
        url: '/api/probe/7',
        payload: { name: 'abcd' },
        headers: { 'accept-language': language },
      });
    const chinese = await ask('');
    expect(chinese.json()).toMatchObject({ success: false, code: 'invalid_input' });
    expect(chinese.json<{ message: string }>().message).toBe('输入不合法 名称不能超过 3 个字符');
    expect(chinese.json<{ request_id: string }>().request_id).toBe(chinese.headers['x-tollgate-request-id']);
    expect(chinese.headers['x-oneapi-request-id']).toBe(chinese.headers['x-tollgate-request-id']);
    expect((await ask('en')).json<{ message: string }>().message).toBe(
      'Invalid input: Name must have at most 3 characters',
    );
  });

  it.each([
    ['not JSON', 'application/json', '{"name":', 400, 'malformed_body'],
    ['a list', 'application/json', '[1]', 200, 'invalid_parameter'],
    [
      'a poisoned prototype',
      'application/json',
      '{"name":"a","__proto__":{"flag":"x"}}',
      400,
      'malformed_body',
    ],
    ['too long', 'application/json', JSON.stringify({ name: 'a'.repeat(2_000) }), 413, 'body_too_large'],
    ['a text with NUL', 'application/json', JSON.stringify({ name: 'a\0' }), 200, 'invalid_input'],
    [
      'NUL below',
      'application/json',
      JSON.stringify({ name: 'a', list: [{ a: '\0' }] }),
      200,
      'invalid_input',
    ],
    ['a name with NUL', 'application/json', JSON.stringify({ name: 'a', 'b\0': 1 }), 200, 'invalid_input'],
  ])('refuses a body that is %s', async (_name, type, payload, status, code) => {
    await start();
    const response = await app!.inject({
      method: 'POST',
      url: '/api/probe/7',
      payload,
      headers: { 'content-type': type },
    });
    expect(response.statusCode).toBe(status);
    expect(response.json()).toMatchObject({ success: false, code });
  });

  it('refuses a path with NUL bytes in text, whether its database would accept it or not', async () => {
    await start();
    const response = await app!.inject({
      method: 'POST',
      url: '/api/probe/7?other=%00',
      payload: { name: 'abc' },
      headers: { 'accept-language': 'en' },
    });
    expect(response.json()).toMatchObject({
      code: 'invalid_input',
      message: 'Invalid input: texts must not contain the character NUL',
    });
  });

  it.each([
    ['without a content type', undefined, '{"name":"abc"}'],
    ['as curl sends JSON', 'application/x-www-form-urlencoded', '{"name":"abc"}'],
    ['as a form', 'application/x-www-form-urlencoded', 'name=abc'],
  ])('reads a body sent %s', async (_name, type, payload) => {
    await start();
    const headers = type === undefined ? {} : { 'content-type': type };
    const response = await app!.inject({ method: 'POST', url: '/api/probe/7', payload, headers });
    expect(response.json()).toMatchObject({ success: true, data: { name: 'abc' } });
  });

  it('hides an unexpected error, and logs its cause under the request id', async () => {
    await start();
    const response = await app!.inject('/api/probe/broken');
    expect(response.statusCode).toBe(500);
    expect(response.body).not.toContain('hunter2');
    expect(response.json()).toMatchObject({
      success: false,
      code: 'internal',
      message: '服务器内部错误，请联系管理员！',
    });
    expect(logged).toEqual([
      expect.objectContaining({
        requestId: response.headers['x-tollgate-request-id'],
        where: 'GET /api/probe/broken',
      }),
    ]);
  });

  it('may not be made by another site when it changes something', async () => {
    await start();
    const post = (headers: Record<string, string>) =>
      app!.inject({
        method: 'POST',
        url: '/api/probe/7',
        payload: { name: 'abc' },
        headers: { host: 'gate.local', ...headers },
      });
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ]) {
      expect((await post(headers)).json()).toMatchObject({ success: false, code: 'cross_site' });
    }
    for (const headers of [
      {},
      { 'sec-fetch-site': 'same-origin', origin: 'https://elsewhere' },
      { origin: 'http://gate.local' },
      { origin: 'https://gate.example' },
    ]) {
      expect((await post(headers)).json()).toMatchObject({ success: true });
    }
  });
});

describe('the access table', () => {
  const probe = routes[0]!;

  it('stops the start when a route has no access level', async () => {
    const open = { ...probe, access: undefined } as unknown as MountedRoute;
    await expect(start({ routes: [open] })).rejects.toThrow(/no entry in the access table/);
  });

  it('stops the start when two routes have the same path', async () => {
    await expect(
      start({
        routes: [
          { ...probe, path: '/api/x/:id' },
          { ...probe, path: '/api/x/:name/' },
        ],
      }),
    ).rejects.toThrow(/mounted twice/);
  });
});

describe('limits by address', () => {
  it('count console calls, page loads and critical calls separately, with a Retry-After', async () => {
    await start({
      rules: {
        api: { count: 3, seconds: 180 },
        web: { count: 1, seconds: 180 },
        critical: { count: 1, seconds: 60 },
      },
    });
    const post = () => app!.inject({ method: 'POST', url: '/api/probe/7', payload: { name: 'a' } });
    expect((await post()).statusCode).toBe(200);
    const refused = await post();
    expect(refused.statusCode).toBe(429);
    expect(refused.json()).toMatchObject({ success: false, code: 'too_many_requests' });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await app!.inject('/api/probe/plain')).statusCode).toBe(200);
    expect((await app!.inject('/api/probe/plain')).statusCode).toBe(429);
    expect((await app!.inject('/login')).statusCode).toBe(200);
    expect((await app!.inject('/login')).statusCode).toBe(429);
    expect((await app!.inject('/assets/app-1a2b.js')).statusCode).toBe(200);
  });

  it('let requests pass when the counter is unavailable', async () => {
    const limit = createIpLimiter({
      rules: { ...noLimits, api: { count: 1, seconds: 60 } },
      hit: () => Promise.reject(new Error('redis is away')),
      log,
    });
    await expect(limit('api', '1.1.1.1')).resolves.toBeUndefined();
  });
});

describe('every other path', () => {
  it('is the console: its page, revalidated each time', async () => {
    await start();
    for (const path of ['/', '/login', '/channel/17', '/index.html']) {
      const response = await app!.inject(path);
      expect(response.statusCode).toBe(200);
      expect(response.body).toContain('<title>console</title>');
      expect(response.headers['cache-control']).toBe('no-cache');
    }
  });

  it('has hashed files cached for ever', async () => {
    await start();
    const response = await app!.inject('/assets/app-1a2b.js');
    expect(response.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(response.headers['content-type']).toContain('javascript');
  });

  it('has the files of a build that was made after the start, and not those it replaced', async () => {
    await start();
    expect((await app!.inject('/assets/app-3c4d.js')).statusCode).toBe(404);
    rmSync(join(webRoot, 'assets', 'app-1a2b.js'));
    writeFileSync(join(webRoot, 'assets', 'app-3c4d.js'), 'export {}');
    writeFileSync(join(webRoot, 'index.html'), '<!doctype html><title>rebuilt</title>');
    expect((await app!.inject('/assets/app-3c4d.js')).statusCode).toBe(200);
    expect((await app!.inject('/assets/app-1a2b.js')).statusCode).toBe(404);
    expect((await app!.inject('/login')).body).toContain('<title>rebuilt</title>');
  });

  it.each([
    '/assets/../../../etc/passwd',
    '/assets/%2e%2e/%2e%2e/etc/passwd',
    '/..%2f..%2fetc%2fpasswd',
    '/../../../../../../etc/passwd',
    '/assets/..%00/passwd',
  ])('never reads a file outside: %s', async (path) => {
    await start();
    expect((await app!.inject(path)).body).not.toContain('root:');
  });

  it('is a 404 in OpenAI’s shape for every API path', async () => {
    await start();
    const call = await app!.inject('/api/nothing?key=sk-secret');
    expect(call.statusCode).toBe(404);
    expect(call.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
    const relay = await app!.inject({ method: 'POST', url: '/v1/nothing?key=sk-secret' });
    expect(relay.statusCode).toBe(404);
    expect(relay.json()).toEqual({
      error: {
        message: 'Invalid URL (POST /v1/nothing)',
        type: 'invalid_request_error',
        param: '',
        code: '',
      },
    });
    const headers = { 'accept-language': 'zh-CN' };
    const chinese = await app!.inject({ method: 'POST', url: '/v1/nothing', headers });
    expect(chinese.json()).toMatchObject({ error: { message: '无效的地址 (POST /v1/nothing)' } });
    expect((await app!.inject('/assets/gone.js')).statusCode).toBe(404);
    expect((await app!.inject({ method: 'POST', url: '/login' })).statusCode).toBe(404);
  });

  it('is refused when the address is not well formed', async () => {
    await start();
    const response = await app!.inject('/api/%zz');
    expect(response.json()).toMatchObject({ success: false, code: 'invalid_parameter' });
  });

  it('has a page with the reason when the console was not built', async () => {
    rmSync(join(webRoot, 'index.html'));
    await start();
    const response = await app!.inject('/');
    expect(response.statusCode).toBe(503);
    expect(response.body).toContain('npm run build');
  });
});

describe('security headers', () => {
  it('are on every answer; nothing of /api is cached; no other site may read it', async () => {
    await start({ trusted: ['127.0.0.1'] });
    for (const url of [
      '/',
      '/api/probe/plain',
      '/api/nothing',
      '/v1/nothing',
      '/assets/app-1a2b.js',
      '/api/%zz',
    ]) {
      const { headers } = await app!.inject({ url, headers: { origin: 'https://evil.example' } });
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['referrer-policy']).toBe('no-referrer');
      expect(headers['cross-origin-opener-policy']).toBe('same-origin');
      expect(headers['access-control-allow-origin']).toBeUndefined();
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("script-src 'self';");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("object-src 'none'");
      expect(headers['strict-transport-security']).toBeUndefined();
    }
    expect((await app!.inject('/api/probe/plain')).headers['cache-control']).toBe('no-store');
    const secure = await app!.inject({ url: '/', headers: { 'x-forwarded-proto': 'https' } });
    expect(secure.headers['strict-transport-security']).toBe('max-age=31536000');
  });
});

describe('errors', () => {
  it('keep their code, status and message', async () => {
    const refusing = implement(
      {
        refuse: route('GET', '/api/probe/refuse', {
          summary,
          access: 'public',
          input: z.object({}),
          data: z.null(),
        }),
      },
      {
        refuse: () => {
          throw new AppError('too_many_attempts', { retryAfter: 12 });
        },
      },
    );
    await start({ routes: refusing });
    const response = await app!.inject('/api/probe/refuse');
    expect(response.statusCode).toBe(429);
    expect(response.headers['retry-after']).toBe('12');
    expect(response.json()).toMatchObject({
      code: 'too_many_attempts',
      message: '尝试次数过多，请在 12 秒后再试',
    });
  });
});
