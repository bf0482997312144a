import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHttp, type Http } from '../../lib/outbound/http.ts';
import { type Channel, type SendTools, type UpstreamCall, RelayError } from '../../relay/types/index.ts';
import { defineProvider } from '../../relay/provider-kit/index.ts';
import { body } from '../../testing/upstream/fake-upstream-faults.ts';
import { type FakeUpstream, startFakeUpstream } from '../../testing/upstream/fake-upstream.ts';
import { noEdges } from '../../testing/protocols/send-tools.ts';
import { type BeforeSend, createBeforeSend } from './before-send.ts';

const hour = 3_600_000;
const call = {
  method: 'POST',
  url: 'http://127.0.0.1/',
  headers: {},
  body: Buffer.of(),
} as unknown as UpstreamCall;

let http: Http;
let upstream: FakeUpstream;
let now: number;
let beforeSend: BeforeSend;

beforeEach(async () => {
  http = createHttp();
  upstream = await startFakeUpstream();
  now = 0;
  beforeSend = createBeforeSend({ http, clock: () => now, ...noEdges });
});
afterEach(async () => {
  await http.close();
  await upstream.close();
});

const channelWith = (key: string) => ({ id: 1, key, setting: { proxy: '' } }) as Channel;

/** Provider that exchanges its key for an hourly token at the fake upstream. */
const buyer = defineProvider({
  type: 9_999,
  id: 'buyer',
  name: 'Buyer',
  endpoints: {},
  beforeSend: async (sent, channel, tools) => ({
    ...sent,
    headers: { authorization: await tools.token('access', () => buy(channel, tools)) },
  }),
});

async function buy(channel: Channel, tools: SendTools) {
  const answer = await tools.ask({
    method: 'POST',
    url: `${upstream.url}/token`,
    headers: { 'x-key': channel.key },
  });
  if (answer.status !== 200) {
    throw new RelayError({ status: 401, code: 'token_refused', message: 'refused', blame: 'channel' });
  }
  return { value: `${channel.key} ${answer.body.toString()}`, expiresAtMs: tools.nowMs() + hour };
}

const readToken = async (key: string): Promise<string | undefined> =>
  (await beforeSend(buyer, channelWith(key), call)).headers.authorization;

describe('a token that a key is exchanged for', () => {
  beforeEach(() => upstream.script(body('granted', 'text/plain')));

  it('is fetched once for many calls at a time, and again when it has expired', async () => {
    const tokens = await Promise.all(Array.from({ length: 50 }, () => readToken('key')));
    expect(new Set(tokens)).toEqual(new Set(['key granted']));
    now = hour - 1;
    await readToken('key');
    expect(upstream.requests).toHaveLength(1);
    now = hour;
    await readToken('key');
    expect(upstream.requests).toHaveLength(2);
  });

  it('belongs to its key: another key of the same channel gets its own', async () => {
    expect(await readToken('old')).toBe('old granted');
    expect(await readToken('new')).toBe('new granted');
    expect(upstream.requests).toHaveLength(2);
  });

  it('that was refused is fetched again', async () => {
    upstream.next('refuse-500');
    await expect(readToken('key')).rejects.toMatchObject({ code: 'token_refused' });
    expect(await readToken('key')).toBe('key granted');
  });

  it('fails the channel, not the caller, when the token endpoint does not answer', async () => {
    upstream.script('reset-at-once');
    await expect(readToken('key')).rejects.toMatchObject({ blame: 'channel', code: 'do_request_failed' });
  });
});

it('is not fetched where the provider needs none', async () => {
  const { beforeSend: _, ...plain } = buyer;
  expect(await beforeSend(plain, channelWith('key'), call)).toBe(call);
});
