import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';

let gate: GatewayHarness;
let caller: TestCaller;

beforeAll(async () => {
  gate = await openGateway({ MAX_REQUEST_BODY_MB: '1' });
  await gate.addChannel({ models: 'gpt-4o-mini,text-embedding-3-small,text-moderation-stable' });
  caller = await gate.addCaller({ balance: 1_000_000, allowance: 400_000 });
});
afterAll(() => gate.close());

const send = (
  method: string,
  path: string,
  body?: string | Buffer<ArrayBuffer>,
  headers: Record<string, string> = {},
) =>
  fetch(gate.url + path, {
    method,
    headers: { authorization: `Bearer ${caller.key}`, ...headers },
    ...(body !== undefined && { body }),
  });

const chat = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] });

describe('the relay paths', () => {
  it('serve an old-style embedding call with the model in its path', async () => {
    const before = gate.upstream.requests.length;
    const answer = await send('POST', '/v1/engines/text-embedding-3-small/embeddings', '{"input":"x"}');
    expect(answer.status).toBe(200);
    const request = gate.upstream.requests[before]!;
    expect(request.path).toBe('/v1/embeddings');
    expect(request.json()).toEqual({ input: 'x', model: 'text-embedding-3-small' });
  });

  it('use a default model for moderations without one', async () => {
    const before = gate.upstream.requests.length;
    await send('POST', '/v1/moderations', '{"input":"x"}');
    expect(gate.upstream.requests[before]!.json()).toMatchObject({ model: 'text-moderation-stable' });
  });

  it('report the allowance of the token, or the balance of its owner, in dollars or units', async () => {
    const subscription = async () =>
      (await (await send('GET', '/v1/dashboard/billing/subscription')).json()) as Record<string, unknown>;
    expect(await subscription()).toMatchObject({
      object: 'billing_subscription',
      hard_limit_usd: 0.8,
      access_until: 0,
    });
    await gate.core.settings.set('DisplayTokenStatEnabled', 'false');
    await gate.core.settings.set('DisplayInCurrencyEnabled', 'false');
    expect((await subscription())['hard_limit_usd']).toBeGreaterThan(999_000);
    const usage = (await (await send('GET', '/dashboard/billing/usage')).json()) as { total_usage: number };
    expect(usage.total_usage).toBeGreaterThanOrEqual(0);
    await gate.core.settings.setMany({ DisplayTokenStatEnabled: 'true', DisplayInCurrencyEnabled: 'true' });
  });

  it('do not know a model by another name', async () => {
    const answer = await send('GET', '/v1/models/nothing');
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ error: { code: 'model_not_found', param: 'model' } });
  });

  it('read compressed bodies, up to the limit before and after decompression', async () => {
    const packed = {
      gzip: gzipSync(chat),
      br: brotliCompressSync(chat),
      deflate: deflateSync(chat),
      zstd: zstdCompressSync(chat),
    };
    for (const [encoding, body] of Object.entries(packed)) {
      const ok = await send('POST', '/v1/chat/completions', body, { 'content-encoding': encoding });
      expect(ok.status, encoding).toBe(200);
    }
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024, ' '));
    expect(bomb.length).toBeLessThan(1024 * 1024);
    const refused = await send('POST', '/v1/chat/completions', bomb, { 'content-encoding': 'gzip' });
    expect(refused.status).toBe(413);
    const large = await send('POST', '/v1/chat/completions', Buffer.alloc(2 * 1024 * 1024, ' '));
    expect(large.status).toBe(413);
    const odd = await send('POST', '/v1/chat/completions', chat, { 'content-encoding': 'compress' });
    expect(odd.status).toBe(415);
  });

  it('refuse bodies that are built to keep the parser busy', async () => {
    const nested = await send('POST', '/v1/chat/completions', `{"a":${'['.repeat(1_000_010)}`);
    expect(nested.status).toBe(413);
    expect(await nested.json()).toMatchObject({ error: { code: 'body_too_complex' } });
    const keys = Array.from({ length: 40_000 }, (_, at) => `"k${at}":0`).join(',');
    const many = await send('POST', '/v1/chat/completions', `{${keys},${keys}}`);
    expect(await many.json()).toMatchObject({ error: { code: 'body_too_complex' } });
    const twice = await send('POST', '/v1/chat/completions', `{${'"a":0,'.repeat(80_000)}"a":0}`);
    expect(twice.status).toBe(400);
    expect(await twice.json()).toMatchObject({ error: { code: 'ambiguous_body' } });
  });

  it('refuse bodies too deep to be serialized again, and blame no channel', async () => {
    const deep = '{"a":'.repeat(8_000) + '1' + '}'.repeat(8_000);
    const before = gate.upstream.requests.length;
    for (const [path, fields] of [
      ['/v1/responses', `"input":"hi","metadata":${deep}`],
      ['/v1/messages', `"max_tokens":9,"messages":[],"tools":[{"name":"t","input_schema":${deep}}]`],
      ['/v1/chat/completions', `"messages":[],"schlüssel":${deep}`],
    ] as const) {
      const refused = await send('POST', path, `{"model":"gpt-4o-mini",${fields}}`);
      expect([path, refused.status]).toEqual([path, 413]);
      expect(await refused.text()).toMatch(/body_too_complex|levels|过深/);
    }
    expect(gate.upstream.requests.length).toBe(before);
  });

  it('may be called from any page, without its cookies', async () => {
    const preflight = await fetch(`${gate.url}/v1/chat/completions`, { method: 'OPTIONS' });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
  });

  it('of the console’s own pages may not be read by other sites', async () => {
    const own = `${gate.url}/pg/chat/completions`;
    const readHeaders = async (method: string) => (await fetch(own, { method })).headers;
    for (const headers of [await readHeaders('OPTIONS'), await readHeaders('POST')])
      expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
    expect((await readHeaders('POST')).get('x-tollgate-request-id')).not.toBeNull();
  });

  it('have a content type that browsers do not sniff, errors and unknown paths, too', async () => {
    const answers = [
      await send('POST', '/v1/chat/completions', chat),
      await send('POST', '/v1/chat/completions', '{'),
      await send('GET', '/v1/models', undefined),
      await send('GET', '/v1/no/such/path', undefined),
      await fetch(`${gate.url}/pg/chat/completions`, { method: 'POST' }),
    ];
    expect(answers.map(({ headers }) => headers.get('x-content-type-options'))).toEqual(
      answers.map(() => 'nosniff'),
    );
  });

  it('refuse a request that comes back through a channel which points at the gateway itself', async () => {
    await gate.addChannel({ models: 'gpt-4.1-nano', base_url: gate.url, key: caller.key });
    const answer = await send('POST', '/v1/chat/completions', chat.replace('gpt-4o-mini', 'gpt-4.1-nano'));
    expect(answer.status).toBe(508);
    expect(await gate.findings()).toEqual([]);
  });

  it('refuse a key with a channel id, unless an administrator owns it', async () => {
    const answer = await send('POST', '/v1/chat/completions', chat, {
      authorization: `Bearer ${caller.key}-1`,
    });
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain('Regular users cannot specify channels');
  });
});
