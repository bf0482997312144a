import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHttp, type Http } from '../../lib/outbound/http.ts';
import type { UpstreamCall } from '../../relay/types/index.ts';
import { vertex } from '../../relay/providers/vertex/index.ts';
import { bridge } from '../../relay/bridge.ts';
import { buildChannel, buildRequest, relayOptions } from '../../testing/protocols/build-relay.ts';
import { FakeGoogle } from '../../testing/upstream/fake-google.ts';
import { healthy, json } from '../../testing/upstream/fake-upstream-scripts.ts';
import { type FakeUpstream, startFakeUpstream } from '../../testing/upstream/fake-upstream.ts';
import { noEdges } from '../../testing/protocols/send-tools.ts';
import { createBeforeSend } from '../upstream/before-send.ts';

const minute = 60_000;
const google = new FakeGoogle();
let http: Http;
let upstream: FakeUpstream;
let now: number;
let send: (key: string) => Promise<UpstreamCall>;

beforeEach(async () => {
  http = createHttp();
  upstream = await startFakeUpstream(google.before(healthy()));
  now = Date.UTC(2026, 10, 21);
  google.exchanges.length = 0;
  google.refusal = undefined;
  const beforeSend = createBeforeSend({ http, clock: () => now, ...noEdges });
  send = async (key) => {
    const channel = buildChannel({ type: 41, key, baseUrl: upstream.url, other: 'global' });
    const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
    const request = buildRequest('gemini', { contents }, { model: 'gemini-2.5-pro', stream: false });
    const call = bridge(vertex, channel, request, 'gemini-2.5-pro', relayOptions);
    return beforeSend(vertex, channel, call);
  };
});
afterEach(async () => {
  await http.close();
  await upstream.close();
});

const keyFile = (): string => google.keyFile(`${upstream.url}/token`);
const readBearer = async (key: string): Promise<string | undefined> =>
  (await send(key)).headers.authorization;

describe('a service account', () => {
  it('signs with RS256: issuer, scope, audience and lifetime', async () => {
    expect(await readBearer(keyFile())).toBe(`Bearer ${google.token(1)}`);
    const seconds = now / 1_000;
    expect(google.exchanges).toEqual([
      {
        iss: google.email,
        scope: 'https://www.googleapis.com/auth/cloud-platform',
        aud: 'https://www.googleapis.com/oauth2/v4/token',
        iat: seconds,
        exp: seconds + 35 * 60,
      },
    ]);
    const [asked] = upstream.requests;
    expect([asked!.method, asked!.path, asked!.headers['content-type']]).toEqual([
      'POST',
      '/token',
      'application/x-www-form-urlencoded',
    ]);
    const [head] = new URLSearchParams(asked!.body.toString()).get('assertion')!.split('.');
    const reported = { alg: 'RS256', typ: 'JWT', kid: 'f00dfeed' };
    expect(JSON.parse(Buffer.from(head!, 'base64url').toString())).toEqual(reported);
  });

  it('fetches one token for all calls of half an hour, and the next one then', async () => {
    const bearers = await Promise.all(Array.from({ length: 50 }, () => readBearer(keyFile())));
    expect(new Set(bearers)).toEqual(new Set([`Bearer ${google.token(1)}`]));
    now += 30 * minute - 1;
    expect(await readBearer(keyFile())).toBe(`Bearer ${google.token(1)}`);
    now += 1;
    expect(await readBearer(keyFile())).toBe(`Bearer ${google.token(2)}`);
    expect(upstream.requests).toHaveLength(2);
  });

  it('keeps no token longer than Google allows, less a minute', async () => {
    const short = json({ access_token: 'ya29.short', expires_in: 300 });
    upstream.next(short, short);
    await readBearer(keyFile());
    now += 4 * minute - 1;
    await readBearer(keyFile());
    expect(upstream.requests).toHaveLength(1);
    now += 1;
    await readBearer(keyFile());
    expect(upstream.requests).toHaveLength(2);
  });

  it('gets a token of its own when its key is changed', async () => {
    const other = google.keyFile(`${upstream.url}/token`, { private_key_id: 'another' });
    expect([await readBearer(keyFile()), await readBearer(other)]).toEqual([
      `Bearer ${google.token(1)}`,
      `Bearer ${google.token(2)}`,
    ]);
  });

  it('whose key has escaped line feeds signs as well', async () => {
    const { private_key: pem } = JSON.parse(keyFile()) as { private_key: string };
    const written = google.keyFile(`${upstream.url}/token`, { private_key: pem.replaceAll('\n', '\\n') });
    expect(await readBearer(written)).toBe(`Bearer ${google.token(1)}`);
  });

  it('has its token masked, should the upstream repeat it', async () => {
    const { secrets } = await send(keyFile());
    expect(secrets).toContain(google.token(1));
  });
});

describe('a failed token exchange is a failure of the channel:', () => {
  it('for a key that Google does not know', async () => {
    const failed = send(google.strangeKeyFile(`${upstream.url}/token`));
    await expect(failed).rejects.toMatchObject({
      status: 401,
      code: 'invalid_channel_key',
      blame: 'channel',
      message: expect.stringContaining('Google refused it (invalid_grant: Invalid JWT Signature.)') as string,
    });
  });

  it('for a private key that is none, whose content is not revealed', async () => {
    const failed = send(google.keyFile(`${upstream.url}/token`, { private_key: 'MIIEvQ-secret' }));
    await expect(failed).rejects.toMatchObject({ status: 401, blame: 'channel' });
    await expect(failed).rejects.not.toThrow(/MIIEvQ/);
    expect(upstream.requests).toHaveLength(0);
  });

  it('at a busy or broken Google, as a failure and not as a bad key', async () => {
    google.refusal = { status: 503, error: 'backend_error', error_description: 'try later' };
    await expect(send(keyFile())).rejects.toMatchObject({ status: 503, code: 'do_request_failed' });
    google.refusal = { status: 429, error: 'rate', error_description: '' };
    await expect(send(keyFile())).rejects.toMatchObject({ status: 429, code: 'do_request_failed' });
    google.refusal = undefined;
    expect(await readBearer(keyFile())).toBe(`Bearer ${google.token(1)}`);
  });

  it('with an answer without a token, or with one that would break out of its header', async () => {
    for (const answer of [{}, { access_token: 'a\r\nx-evil: 1' }, { access_token: 7 }]) {
      upstream.next(json(answer));
      await expect(send(keyFile())).rejects.toMatchObject({ status: 502, code: 'bad_response_body' });
    }
  });
});

it('an API key needs no exchange', async () => {
  const { headers } = await send(google.apiKey);
  expect(headers['x-goog-api-key']).toBe(google.apiKey);
  expect(headers).not.toHaveProperty('authorization');
  expect(upstream.requests).toHaveLength(0);
});
