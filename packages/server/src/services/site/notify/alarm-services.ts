import { createHmac } from 'node:crypto';
import type { AlarmService } from '@tollgate/contract';
import { type JsonObject, parseObject } from '../../../lib/json.ts';

/** An alarm in words, for people and for programs. */
export interface AlarmMessage {
  /** The same at every try: receivers recognise a repeated one by it. */
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

/** Where alarms are posted to, as the settings have it. */
export interface AlarmPlace {
  address: string;
  secret: string;
  /** Telegram's chat. */
  receiver: string;
}

/** The call that posts an alarm. */
export interface AlarmCall {
  url: string;
  body: string;
  headers: Record<string, string>;
}

interface ServiceForm {
  call(
    message: AlarmMessage,
    place: AlarmPlace,
    now: number,
  ): { url: string; body: object; headers?: object };
  /** True for an answer of 2xx that took the message; services without it say all by the status. */
  took?(answer: JsonObject): boolean;
}

const hmac = (key: string, text: string) => createHmac('sha256', key).update(text);
const both = ({ title, text }: AlarmMessage): string => `${title}\n${text}`;
const trimmed = (address: string, otherwise: string): string => (address || otherwise).replace(/\/+$/, '');

/** How each service takes a message, by its own documentation. */
const forms: Record<AlarmService, ServiceForm> = {
  // The signature covers the body, which has the timestamp.
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
      const sign = hmac(`${timestamp}\n${secret}`, '').digest('base64');
      const content = { msg_type: 'text', content: { text: both(message) } };
      return { url: address, body: secret === '' ? content : { timestamp, sign, ...content } };
    },
    took: ({ code, StatusCode }) => (code ?? StatusCode) === 0,
  },
  DingTalk: {
    call(message, { address, secret }, now) {
      const url = new URL(address);
      if (secret !== '') {
        url.searchParams.set('timestamp', String(now));
        url.searchParams.set('sign', hmac(secret, `${now}\n${secret}`).digest('base64'));
      }
      return { url: url.href, body: { msgtype: 'text', text: { content: both(message) } } };
    },
    took: ({ errcode }) => errcode === 0,
  },
  WeCom: {
    call: (message, { address }) => ({
      url: address,
      // At most 2,048 bytes of text are taken.
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

/** The call that posts a message. Throws for an address that is none. `now` is Unix ms. */
export function alarmCall(
  service: AlarmService,
  message: AlarmMessage,
  place: AlarmPlace,
  now: number,
): AlarmCall {
  const { url, body: content, headers } = forms[service].call(message, place, now);
  const body = JSON.stringify(content);
  const signed = service === 'Webhook' && place.secret !== '';
  return {
    url,
    body,
    headers: {
      'content-type': 'application/json',
      ...headers,
      ...(signed && { 'x-webhook-signature': hmac(place.secret, body).digest('hex') }),
    },
  };
}

/** Why a service did not take a message; undefined where it did. Never has anything of the answer but its code. */
export function refusedBy(service: AlarmService, status: number, body: string): string | undefined {
  if (status < 200 || status > 299) return `${service} answered ${status}`;
  const answer = parseObject(body);
  const form = forms[service];
  if (!form.took || (answer && form.took(answer))) return undefined;
  const code = answer?.['errcode'] ?? answer?.['code'];
  return `${service} refused the message${typeof code === 'number' ? ` (code ${code})` : ''}`;
}
