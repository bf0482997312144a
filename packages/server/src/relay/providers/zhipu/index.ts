import { defineProvider, OwnStream } from '../../provider-kit/index.ts';
import { PromptReader, rewritePrompt } from './answer.ts';
import { adaptPrompt } from './body.ts';
import { type Channel, refuse, type SendTools, type UpstreamCall } from '../../types/index.ts';
import { EventSplitter, type SseEvent } from '../../../lib/sse/index.ts';
import type { EventScanner } from '../../provider-kit/index.ts';

const lineEnd = /\r\n|\r|\n/;

/**
 * The events of Zhipu's third API. The last one has the usage in a line `meta:`, which server-sent events do not have;
 * it becomes the event's data.
 */
class ZhipuScanner implements EventScanner {
  private readonly splitter = new EventSplitter();

  push(chunk: Buffer): SseEvent[] {
    const whole = this.splitter.push(chunk);
    if (!whole) return [];
    return whole
      .toString()
      .split(/(?:\r\n|\r|\n){2,}/)
      .filter((block) => block.trim() !== '')
      .map(readEvent);
  }
}

function readEvent(block: string): SseEvent {
  const data: string[] = [];
  let [name, meta] = ['', ''];
  for (const line of block.split(lineEnd)) {
    const [, field, value = ''] = /^([^:]+): ?(.*)$/s.exec(line) ?? [];
    if (field === 'event') name = value.trim();
    else if (field === 'data') data.push(value);
    else if (field === 'meta') meta = value;
  }
  return { name, data: meta === '' ? data.join('\n') : meta };
}

/** Validity of a signature, and the time before its end when it is replaced. */
const lifeMs = 24 * 60 * 60_000;
const marginMs = 60 * 60_000;

/** The two halves of a key, `id.secret`. */
function readKey({ key }: Pick<Channel, 'key'>): { id: string; secret: string } {
  const [id = '', secret = '', ...rest] = key.trim().split('.');
  if (id === '' || secret === '' || rest.length > 0) throw refuse('key_form', { form: 'id.secret' });
  return { id, secret };
}

/** The call with a token that its key has signed (a JWT with times in ms). The token is the whole header. */
async function signCall(call: UpstreamCall, channel: Channel, tools: SendTools): Promise<UpstreamCall> {
  const token = await tools.token('zhipu', () => sign(channel, tools.nowMs()));
  call.secrets.push(token);
  return { ...call, headers: { ...call.headers, authorization: token } };
}

async function sign(channel: Channel, nowMs: number): Promise<{ value: string; expiresAtMs: number }> {
  const { id, secret } = readKey(channel);
  const { SignJWT } = await import('jose');
  const value = await new SignJWT({ api_key: id, exp: nowMs + lifeMs, timestamp: nowMs })
    .setProtectedHeader({ alg: 'HS256', sign_type: 'SIGN' })
    .sign(Buffer.from(secret));
  return { value, expiresAtMs: nowMs + lifeMs - marginMs };
}

/**
 * Zhipu's third API for ChatGLM: the key signs a token, and streams have a separate call. Zhipu no longer lists its
 * models (docs.bigmodel.cn/cn/guide/start/model-overview, 2026), so no model is offered.
 */
export const zhipu = defineProvider({
  type: 16,
  id: 'zhipu',
  name: { zh: '智谱 ChatGLM（v3 接口）', en: 'Zhipu ChatGLM (API v3)' },
  baseUrl: 'https://open.bigmodel.cn',
  hints: {
    key: 'id.secret',
    address: {
      placeholder: 'https://chatglm.example.com',
      meaning: {
        zh: '智谱的模型列表里已没有这一接口（v3）的模型：请用“智谱”类型的渠道，或填写提供相同接口的其他服务地址',
        en: 'Zhipu lists no model of this API (v3) any more: use the type Zhipu GLM, or the address of a server with the same calls',
      },
    },
  },
  headers: () => ({}),
  secrets: (channel) => [channel.key, readKey(channel).secret],
  endpoints: {
    'openai-chat': {
      protocol: 'openai-chat',
      hosts: [],
      isDialect: true,
      url: ({ baseUrl }, { model, stream }) =>
        `${baseUrl}/api/paas/v3/model-api/${encodeURIComponent(model).replace(/^\.+$/, '_')}/${stream ? 'sse-invoke' : 'invoke'}`,
      adapt: adaptPrompt,
      rewrite: rewritePrompt,
      unframe: (contentType, _secrets, asked) =>
        contentType.startsWith('text/event-stream')
          ? new OwnStream(new PromptReader(asked), new ZhipuScanner())
          : undefined,
    },
  },
  beforeSend: signCall,
});
