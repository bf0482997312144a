import {
  defineProvider,
  LineScanner,
  OwnStream,
  boundOf,
  oneAnswer,
  plainTurns,
  replaceBody,
  withoutSchema,
  withoutTools,
} from '../../provider-kit/index.ts';
import { SparkReader, isLastMessage } from './answer.ts';
import { type JsonObject, textOf } from '../../../lib/json.ts';
import {
  type AdaptContext,
  type Channel,
  refuse,
  type SendTools,
  type UpstreamCall,
} from '../../types/index.ts';
import { createHmac } from 'node:crypto';

/** Path of a version, and its domain in the request. */
interface Version {
  path: string;
  domain: string;
}

const versions: Readonly<Record<string, Version>> = {
  'v1.1': { path: '/v1.1/chat', domain: 'lite' },
  'v2.1': { path: '/v2.1/chat', domain: 'generalv2' },
  'v3.1': { path: '/v3.1/chat', domain: 'generalv3' },
  'v3.1-128k': { path: '/chat/pro-128k', domain: 'pro-128k' },
  'v3.5': { path: '/v3.5/chat', domain: 'generalv3.5' },
  'v3.5-32k': { path: '/chat/max-32k', domain: 'max-32k' },
  'v4.0': { path: '/v4.0/chat', domain: '4.0Ultra' },
  x1: { path: '/v1/x1', domain: 'x1' },
};

const usual = 'v1.1';
const ofName = /-(v\d\.\d(?:-\d+k)?|x1)$/i;

/** The version of the query, otherwise of the model, otherwise of the channel; the oldest without any. */
function versionOf(model: string, other: string, query = ''): Version {
  const asked = new URLSearchParams(query).get('api-version');
  for (const name of [asked, ofName.exec(model)?.[1], other.trim()]) {
    const known = name?.toLowerCase() ?? '';
    if (Object.hasOwn(versions, known)) return versions[known]!;
  }
  return versions[usual]!;
}

const models = [
  'SparkDesk',
  'SparkDesk-v1.1',
  'SparkDesk-v3.1',
  'SparkDesk-v3.1-128K',
  'SparkDesk-v3.5',
  'SparkDesk-v3.5-32K',
  'SparkDesk-v4.0',
];

const form = 'APPID|APISecret|APIKey';

/** The three parts of a key. */
function readKey({ key }: Pick<Channel, 'key'>): { app: string; secret: string; apiKey: string } {
  const [app = '', secret = '', apiKey = '', ...rest] = key.split('|').map((part) => part.trim());
  if (app === '' || secret === '' || apiKey === '' || rest.length > 0) throw refuse('key_form', { form });
  return { app, secret, apiKey };
}

/** The call over a socket with a signed address: host, time and path, by HMAC-SHA256. */
function overSignedSocket(
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

const worded = ['temperature', 'max_tokens', 'max_completion_tokens', 'top_k', 'user', 'tools'];
/** Longer names of end users are refused. */
const maxUserLength = 32;

/** A chat as one message for Spark. Only another API of the vendor has tools. */
function adaptSpark(body: JsonObject, { channel, model, drop, query }: AdaptContext): undefined {
  oneAnswer(body);
  const turns = plainTurns(body);
  withoutTools(body, turns);
  withoutSchema(body);
  const { temperature, top_k: topK, user } = body;
  const bound = boundOf(body);
  const wanted = {
    header: {
      app_id: readKey(channel).app,
      ...(textOf(user) !== '' && { uid: textOf(user).slice(0, maxUserLength) }),
    },
    parameter: {
      chat: {
        domain: versionOf(model, channel.other, query).domain,
        ...(typeof temperature === 'number' && { temperature: Math.min(1, Math.max(0.01, temperature)) }),
        ...(bound !== undefined && { max_tokens: Math.max(1, bound) }),
        ...(typeof topK === 'number' && { top_k: Math.min(6, Math.max(1, Math.round(topK))) }),
      },
    },
    payload: { message: { text: turns.map(({ role, text }) => ({ role, content: text })) } },
  };
  replaceBody(body, wanted, worded, drop);
}

/** iFLYTEK's Spark: a chat is one message over a WebSocket with a signed address. */
export const xunfei = defineProvider({
  type: 18,
  id: 'xunfei',
  name: { zh: '讯飞星火', en: 'iFLYTEK Spark' },
  baseUrl: 'https://spark-api.xf-yun.com',
  hints: {
    key: 'APPID|APISecret|APIKey',
    other: {
      zh: '模型名没有写明时使用的版本，例如 v3.5；留空为 v2.1',
      en: 'the version of models whose name says none, e.g. v3.5; v2.1 where nothing is said',
    },
  },
  models,
  headers: () => ({}),
  secrets: (channel) => [channel.key, readKey(channel).secret, readKey(channel).apiKey],
  endpoints: {
    'openai-chat': {
      protocol: 'openai-chat',
      hosts: [],
      isDialect: true,
      url: ({ baseUrl, other }, { model, query }) => baseUrl + versionOf(model, other, query).path,
      adapt: adaptSpark,
      unframe: (contentType, _secrets, asked) =>
        contentType === 'application/x-ndjson'
          ? new OwnStream(new SparkReader(asked), new LineScanner())
          : undefined,
    },
  },
  beforeSend: overSignedSocket,
});
