import { createHmac } from 'node:crypto';
import { declarationOf, type SettingKey, type SettingValue } from '@tollgate/contract';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createHttp, type Http } from '../../../lib/outbound/http.ts';
import { makeTestCertificate, trustCertificate } from '@tollgate/http-engine/testing';
import { startWebhookReceiver, type WebhookReceiver } from '../../../testing/upstream/webhook-receiver.ts';
import { PermanentFailure } from './types.ts';
import { createWebhookSender, webhookCall } from './webhook.ts';

const certificate = makeTestCertificate();
let untrust: () => void;
let receiver: WebhookReceiver;
let http: Http;
let values: Partial<Record<SettingKey, unknown>>;
const settings = {
  get: <Key extends SettingKey>(key: Key) => (values[key] ?? declarationOf(key).default) as SettingValue<Key>,
};
const notice = {
  type: 'quota_exceed',
  title: '您的额度即将用尽',
  content: '{{value}}，{{value}}',
  text: '{{value}}，{{value}}',
  values: ['<b>&', '＄0.100000'],
};
/** The receiver is on this machine, which users' webhooks may not reach. */
const send = (secret = 'hook-secret', url = `${receiver.url}/hook`) =>
  createWebhookSender({ settings, http, scope: 'operator' })(
    webhookCall(notice, { url, secret }, 1_790_000_000),
    secret,
  );
const catchError = (sending: Promise<void>): Promise<unknown> =>
  sending.then(
    () => undefined,
    (error: unknown) => error,
  );

beforeEach(async () => {
  untrust = trustCertificate(certificate.cert);
  receiver = await startWebhookReceiver(certificate);
  http = createHttp();
  values = {};
});
afterEach(async () => {
  vi.useRealTimers();
  untrust();
  await http.close();
  await receiver.close();
});

describe('a webhook', () => {
  it('is JSON of the documented shape, signed over its exact bytes', async () => {
    await send();
    const [call] = receiver.calls;
    expect(call?.path).toBe('/hook');
    expect(call?.headers['content-type']).toBe('application/json');
    const { text: _text, ...sent } = notice;
    expect(JSON.parse(call!.body)).toEqual({ ...sent, timestamp: 1_790_000_000 });
    const signature = createHmac('sha256', 'hook-secret').update(call!.body).digest('hex');
    expect(call?.headers['x-webhook-signature']).toBe(signature);
    expect(call?.headers['x-webhook-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(call?.headers).not.toHaveProperty('authorization');
  });

  it('has no signature without a secret', async () => {
    await send('');
    expect(receiver.calls[0]?.headers).not.toHaveProperty('x-webhook-signature');
  });

  it('never reaches this machine, a private network or a metadata service, by address or by name', async () => {
    const guarded = createWebhookSender({ settings, http });
    const port = new URL(receiver.url).port;
    for (const host of [
      'localhost',
      '127.0.0.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '169.254.169.254',
      '10.0.0.1',
      '2130706433',
      '0x7f.1',
    ]) {
      const call = webhookCall(notice, { url: `https://${host}:${port}/`, secret: '' }, 1);
      expect(await catchError(guarded(call, ''))).toBeInstanceOf(PermanentFailure);
    }
    expect(receiver.calls).toHaveLength(0);
  });

  it('is https, whatever an old row has', async () => {
    for (const url of ['http://example.com/', 'ftp://example.com/', 'example.com', '']) {
      expect(await catchError(send('s', url))).toBeInstanceOf(PermanentFailure);
    }
  });

  it('is not sent to a server with an untrusted certificate', async () => {
    untrust();
    expect(await catchError(send())).toBeInstanceOf(Error);
    expect(receiver.calls).toHaveLength(0);
    untrust = trustCertificate(certificate.cert);
  });

  it.each([302, 307, 400, 404])(
    'is not repeated when the receiver answers %i, and follows no redirect',
    async (status) => {
      receiver.answer({ status, headers: { location: `${receiver.url}/elsewhere` } });
      expect(await catchError(send())).toBeInstanceOf(PermanentFailure);
      expect(receiver.calls.map(({ path }) => path)).toEqual(['/hook']);
    },
  );

  it.each([500, 503, 429])('is repeated when the receiver answers %i', async (status) => {
    receiver.answer({ status });
    const error = await catchError(send());
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(PermanentFailure);
  });

  it('waits five seconds for an answer and no longer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    receiver.answer('never');
    const outcome = catchError(send());
    await vi.waitFor(() => expect(receiver.calls).toHaveLength(1), { timeout: 5_000, interval: 1 });
    await vi.advanceTimersByTimeAsync(5_001);
    expect(await outcome).toMatchObject({ message: 'the webhook took too long' });
  });

  it('goes through the site’s worker when there is one, with the signature of the bytes that the receiver gets', async () => {
    values = { WorkerUrl: receiver.url, WorkerValidKey: 'worker-key' };
    await send('hook-secret', 'https://hooks.example/ann');
    const [call] = receiver.calls;
    expect(call?.path).toBe('/');
    const { headers, body, ...asked } = JSON.parse(call!.body) as {
      headers: Record<string, string>;
      body: object;
    };
    expect(asked).toEqual({ url: 'https://hooks.example/ann', key: 'worker-key', method: 'POST' });
    expect(headers.authorization).toBe('Bearer hook-secret');
    const signature = createHmac('sha256', 'hook-secret').update(JSON.stringify(body)).digest('hex');
    expect(headers['x-webhook-signature']).toBe(signature);
    expect(await catchError(send('s', 'http://hooks.example/'))).toBeInstanceOf(PermanentFailure);
  });
});
