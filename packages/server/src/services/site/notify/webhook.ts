import { createHmac, randomUUID } from 'node:crypto';
import { type AddressScope, ForbiddenAddress } from '../../../lib/outbound/address.ts';
import type { Controller, Http, Outgoing } from '../../../lib/outbound/http.ts';
import type { Settings } from '../settings/index.ts';
import { type Notice, PermanentFailure } from './types.ts';

export interface WebhookDeps {
  settings: Pick<Settings, 'get'>;
  http: Pick<Http, 'dispatch'>;
  /**
   * The address scope of webhooks: public addresses, because users choose them. Only a test with a receiver on this
   * machine uses another.
   */
  scope?: AddressScope;
}

/** One webhook call: the same body, signature and id at every attempt. */
export interface WebhookCall {
  url: string;
  body: string;
  headers: Record<string, string>;
}

/** Timeout from the start of the call to the head of its answer (docs/compatibility.md#notices). */
const timeoutMs = 5_000;

/** The header that proves the sender of a webhook's body; none without a secret (docs/compatibility.md#notices). */
export const signBody = (body: string, secret: string): Record<string, string> =>
  secret === '' ? {} : { 'x-webhook-signature': createHmac('sha256', secret).update(body).digest('hex') };

/** The call for a notice (docs/compatibility.md#notices). `X-Webhook-Id` lets receivers recognise a repeated one. */
export function webhookCall(notice: Notice, to: { url: string; secret: string }, now: number): WebhookCall {
  const { type, title, content, values } = notice;
  const body = JSON.stringify({ type, title, content, ...(values.length > 0 && { values }), timestamp: now });
  const headers = {
    'content-type': 'application/json',
    'x-webhook-id': randomUUID(),
    ...signBody(body, to.secret),
  };
  return { url: to.url, body, headers };
}

/** The same call, sent through the worker (docs/compatibility.md#notices). */
function throughWorker(call: WebhookCall, secret: string, settings: Pick<Settings, 'get'>): WebhookCall {
  const headers: Record<string, string> = { ...call.headers };
  if (secret !== '') headers.authorization = `Bearer ${secret}`;
  return {
    url: `${settings.get('WorkerUrl').replace(/\/+$/, '')}/`,
    headers: { 'content-type': 'application/json' },
    // Parsed and serialised again the body has the same bytes, so the signature is still valid.
    body: JSON.stringify({
      url: call.url,
      key: settings.get('WorkerValidKey'),
      method: 'POST',
      headers,
      body: JSON.parse(call.body) as unknown,
    }),
  };
}

/** Makes one webhook call. Throws PermanentFailure if a retry cannot succeed. */
export type WebhookSender = (call: WebhookCall, secret: string) => Promise<void>;

/** Makes webhook calls: https only, public addresses only; redirects count as failures. */
export function createWebhookSender({ settings, http, scope = 'public' }: WebhookDeps): WebhookSender {
  return async (call, secret) => {
    // Also checked here, because the row may be older than the check on save.
    if (!URL.canParse(call.url) || new URL(call.url).protocol !== 'https:') {
      throw new PermanentFailure('the webhook address is not https');
    }
    const worker = settings.get('WorkerUrl') !== '';
    const sent = worker ? throughWorker(call, secret, settings) : call;
    const status = await sendCall(http, sent, worker ? 'operator' : scope);
    if (status >= 200 && status < 300) return;
    const words = `the webhook's receiver answered ${status}`;
    throw status >= 500 || status === 429 || status === 408 ? new Error(words) : new PermanentFailure(words);
  };
}

/** Sends a webhook. Resolves to the status of the response, without reading its body; rejects after five seconds. */
function sendCall(http: Pick<Http, 'dispatch'>, call: WebhookCall, scope: AddressScope): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let running: Controller | undefined;
  const timer = setTimeout(() => {
    const slow = new Error('the webhook took too long');
    reject(slow);
    running?.abort(slow);
  }, timeoutMs);
  const outgoing: Outgoing = {
    method: 'POST',
    url: call.url,
    headers: call.headers,
    body: Buffer.from(call.body),
    scope,
    headersTimeoutMs: timeoutMs,
    bodyTimeoutMs: timeoutMs,
  };
  const handler = {
    onRequestStart: (controller: Controller) => void (running = controller),
    onResponseStart(controller: Controller, status: number) {
      resolve(status);
      controller.abort(new Error('only the status was wanted'));
    },
    onResponseData: () => undefined,
    onResponseEnd: () => undefined,
    onResponseError: (_controller: Controller, error: Error) => reject(error),
  };
  try {
    http.dispatch(outgoing, handler);
  } catch (error) {
    reject(error instanceof Error ? error : new Error(String(error)));
  }
  return promise
    .catch((error: unknown) => {
      throw error instanceof ForbiddenAddress ? new PermanentFailure(error.message, error) : error;
    })
    .finally(() => clearTimeout(timer));
}
