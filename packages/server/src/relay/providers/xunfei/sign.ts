import { createHmac } from 'node:crypto';
import { type Channel, refuse, type SendTools, type UpstreamCall } from '../../types/index.ts';
import { isLastMessage } from './answer.ts';

const form = 'APPID|APISecret|APIKey';

/** The three parts of a key. */
export function readKey({ key }: Pick<Channel, 'key'>): { app: string; secret: string; apiKey: string } {
  const [app = '', secret = '', apiKey = '', ...rest] = key.split('|').map((part) => part.trim());
  if (app === '' || secret === '' || apiKey === '' || rest.length > 0) throw refuse('key_form', { form });
  return { app, secret, apiKey };
}

/** The call over a socket with a signed address: host, time and path, by HMAC-SHA256. */
export function overSignedSocket(
  call: UpstreamCall,
  channel: Channel,
  { nowMs }: Pick<SendTools, 'nowMs'>,
): UpstreamCall {
  const { secret, apiKey } = readKey(channel);
  const url = new URL(call.url);
  const date = new Date(nowMs()).toUTCString();
  const signed = `host: ${url.host}\ndate: ${date}\nGET ${url.pathname} HTTP/1.1`;
  const signature = createHmac('sha256', secret).update(signed).digest('base64');
  const words = `api_key="${apiKey}", algorithm="hmac-sha256", headers="host date request-line", signature="${signature}"`;
  const authorization = Buffer.from(words).toString('base64');
  call.secrets.push(signature, authorization);
  url.search = new URLSearchParams({ authorization, date, host: url.host }).toString();
  return { ...call, headers: {}, url: url.href, overSocket: { isLast: isLastMessage } };
}
