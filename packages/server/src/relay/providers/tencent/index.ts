import { defineProvider, OwnStream } from '../../provider-kit/index.ts';
import { HunyuanReader, rewriteHunyuan } from './answer.ts';
import { adaptHunyuan } from './body.ts';
import { createHash, createHmac } from 'node:crypto';
import { type Channel, refuse, type SendTools, type UpstreamCall } from '../../types/index.ts';

const service = 'hunyuan';
const algorithm = 'TC3-HMAC-SHA256';
const signedHeaders = 'content-type;host;x-tc-action';

/** The three parts of a key. */
function readKey({ key }: Pick<Channel, 'key'>): { app: string; id: string; secret: string } {
  const [app = '', id = '', secret = '', ...rest] = key.split('|').map((part) => part.trim());
  if (app === '' || id === '' || secret === '' || rest.length > 0)
    throw refuse('key_form', { form: 'AppId|SecretId|SecretKey' });
  return { app, id, secret };
}

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** Signs a call with Tencent Cloud's third signature: its body, type, host and action, with the current second. */
function signCall(call: UpstreamCall, channel: Channel, { nowMs }: Pick<SendTools, 'nowMs'>): UpstreamCall {
  const { id, secret } = readKey(channel);
  const seconds = Math.floor(nowMs() / 1_000);
  const date = new Date(seconds * 1_000).toISOString().slice(0, 10);
  const { host, pathname } = new URL(call.url);
  const { 'content-type': type = '', 'x-tc-action': action = '' } = call.headers;
  const named = `content-type:${type}\nhost:${host}\nx-tc-action:${action.toLowerCase()}\n`;
  const request = ['POST', pathname, '', named, signedHeaders, sha256(call.body)].join('\n');
  const scope = `${date}/${service}/tc3_request`;
  const words = [algorithm, seconds, scope, sha256(request)].join('\n');
  const key = [date, service, 'tc3_request'].reduce<string | Buffer>(hmac, `TC3${secret}`);
  const signature = hmac(key, words).toString('hex');
  const authorization = `${algorithm} Credential=${id}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`;
  return { ...call, headers: { ...call.headers, authorization, 'x-tc-timestamp': String(seconds) } };
}

/** Tencent's Hunyuan through Tencent Cloud's own API: one address, signed calls, fields in capitals. */
export const tencent = defineProvider({
  type: 23,
  id: 'tencent',
  name: { zh: '腾讯混元', en: 'Tencent Hunyuan' },
  baseUrl: 'https://hunyuan.tencentcloudapi.com',
  hints: { key: 'AppId|SecretId|SecretKey' },
  models: ['hy3-preview', 'hunyuan-role-latest'],
  headers: () => ({
    'content-type': 'application/json',
    'x-tc-action': 'ChatCompletions',
    'x-tc-version': '2023-09-01',
  }),
  secrets: (channel) => [channel.key, readKey(channel).id, readKey(channel).secret],
  endpoints: {
    'openai-chat': {
      protocol: 'openai-chat',
      hosts: ['web-search'],
      search: { EnableEnhancement: true, ForceSearchEnhancement: true },
      isDialect: true,
      url: ({ baseUrl }) => `${baseUrl}/`,
      adapt: adaptHunyuan,
      rewrite: rewriteHunyuan,
      unframe: (contentType, _secrets, asked) =>
        contentType.startsWith('text/event-stream') ? new OwnStream(new HunyuanReader(asked)) : undefined,
    },
  },
  beforeSend: signCall,
});
