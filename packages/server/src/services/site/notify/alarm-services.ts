import { createHmac } from 'node:crypto';
import type { AlarmService } from '@tollgate/contract';
import { type JsonObject, parseObject } from '../../../lib/json.ts';
import { signBody, type WebhookCall } from './webhook.ts';

/** An alarm as text and as fields. */
export interface AlarmMessage {
  /** The same for every attempt, so that receivers recognise a repeated message. */
  id: string;
  event: 'begun' | 'ended' | 'test';
  cause: string;
  subject: string;
  name: string;
  title: string;
  text: string;
  /** Unix seconds; `ended` is 0 while it runs. */
  since: number;
  ended: number;
}

/** Where a service gets its messages. */
export interface AlarmPlace {
  address: string;
  secret: string;
  /** Telegram's chat. */
  receiver: string;
}

interface ServiceForm {
  call(
    message: AlarmMessage,
    place: AlarmPlace,
    now: number,
  ): { url: string; body: object; headers?: object };
  /** True if a 2xx answer accepts the message; for services without it, the status is enough. */
  took?(answer: JsonObject): boolean;
}

const sign = (key: string, text: string) => createHmac('sha256', key).update(text).digest('base64');
const both = ({ title, text }: AlarmMessage): string => `${title}\n${text}`;
const trimmed = (address: string, otherwise: string): string => (address || otherwise).replace(/\/+$/, '');

/** Request format of each service, by its own documentation. */
const forms: Record<AlarmService, ServiceForm> = {
  // The signature covers the body, which contains the timestamp.
  Webhook: {
    call: (message, { address }, now) => ({
      url: address,
      body: { ...message, timestamp: Math.floor(now / 1_000) },
      headers: { 'x-webhook-id': message.id },
    }),
  },
  Slack: {
    call: (message, { address }) => ({
      url: address,
      body: {
        text: both(message).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
      },
    }),
  },
  Feishu: {
    call(message, { address, secret }, now) {
      const timestamp = String(Math.floor(now / 1_000));
      const content = { msg_type: 'text', content: { text: both(message) } };
      return {
        url: address,
        body: secret === '' ? content : { timestamp, sign: sign(`${timestamp}\n${secret}`, ''), ...content },
      };
    },
    took: ({ code, StatusCode }) => (code ?? StatusCode) === 0,
  },
  DingTalk: {
    call(message, { address, secret }, now) {
      const url = new URL(address);
      if (secret !== '') {
        url.searchParams.set('timestamp', String(now));
        url.searchParams.set('sign', sign(secret, `${now}\n${secret}`));
      }
      return { url: url.href, body: { msgtype: 'text', text: { content: both(message) } } };
    },
    took: ({ errcode }) => errcode === 0,
  },
  WeCom: {
    call: (message, { address }) => ({
      url: address,
      // The service accepts at most 2,048 bytes of text.
      body: { msgtype: 'text', text: { content: both(message).slice(0, 600) } },
    }),
    took: ({ errcode }) => errcode === 0,
  },
  Telegram: {
    call: (message, { address, secret, receiver }) => ({
      url: `${trimmed(address, 'https://api.telegram.org')}/bot${secret}/sendMessage`,
      body: { chat_id: receiver, text: both(message), link_preview_options: { is_disabled: true } },
    }),
    took: ({ ok }) => ok === true,
  },
  Bark: {
    call: ({ title, text, cause }, { address, secret }) => ({
      url: `${trimmed(address, 'https://api.day.app')}/push`,
      body: { device_key: secret, title, body: text, group: cause },
    }),
    took: ({ code }) => code === 200,
  },
  Gotify: {
    call: ({ title, text, event }, { address, secret }) => ({
      url: `${trimmed(address, '')}/message`,
      body: { title, message: text, priority: event === 'begun' ? 8 : 4 },
      headers: { 'x-gotify-key': secret },
    }),
  },
};

/** The call that posts a message. Throws for an invalid address. `now` is Unix ms. */
export function alarmCall(
  service: AlarmService,
  message: AlarmMessage,
  place: AlarmPlace,
  now: number,
): WebhookCall {
  const { url, body: content, headers } = forms[service].call(message, place, now);
  const body = JSON.stringify(content);
  const signature = service === 'Webhook' ? signBody(body, place.secret) : {};
  return { url, body, headers: { 'content-type': 'application/json', ...headers, ...signature } };
}

/** The reason why a service refused a message; undefined on success. It contains only the code of the answer. */
export function refusedBy(service: AlarmService, status: number, body: string): string | undefined {
  if (status < 200 || status > 299) return `${service} answered ${status}`;
  const answer = parseObject(body);
  const form = forms[service];
  if (!form.took || (answer && form.took(answer))) return undefined;
  const code = answer?.['errcode'] ?? answer?.['code'];
  return `${service} refused the message${typeof code === 'number' ? ` (code ${code})` : ''}`;
}
