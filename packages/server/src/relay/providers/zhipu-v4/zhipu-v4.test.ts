import { expect, test } from 'vitest';
import { buildChannel, buildRequest, relayOptions } from '../../../testing/protocols/build-relay.ts';
import { bridge } from '../../bridge.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { ProtocolId } from '../../types/index.ts';
import { zhipuV4 } from './index.ts';

function made(body: JsonObject | string, protocol: ProtocolId = 'openai-chat') {
  const channel = buildChannel({ type: 26, baseUrl: zhipuV4.baseUrl });
  return bridge(zhipuV4, channel, buildRequest(protocol, body), 'glm-4', relayOptions);
}
const image = (url: string) => ({ type: 'image_url', image_url: { url, detail: 'low' } });
const chat = (content: ReturnType<typeof image>[]) => ({
  model: 'glm-4',
  messages: [{ role: 'user', content }],
});
const sent = (body: JsonObject) => JSON.parse(made(body).body.toString()) as JsonObject;

test('each protocol has its path', () => {
  const base = 'https://open.bigmodel.cn/api';
  expect(made(chat([])).url).toBe(`${base}/paas/v4/chat/completions`);
  expect(made({ model: 'm', input: 'hi' }, 'openai-embeddings').url).toBe(`${base}/paas/v4/embeddings`);
  const messages = { model: 'm', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] };
  expect(made(messages, 'anthropic-messages').url).toBe(`${base}/anthropic/v1/messages`);
});

test('images as data are sent without their prefix, addresses unchanged', () => {
  const asked = chat([image('data:image/png;base64,AAAA'), image('https://i.test/a.png')]);
  const expected = chat([image('AAAA'), image('https://i.test/a.png')]);
  expect(sent(asked).messages).toEqual(expected.messages);
});

test('top_p stays below 1, and a body that needs no change passes as its bytes', () => {
  expect(sent({ ...chat([]), top_p: 1 }).top_p).toBe(0.99);
  const raw = '{"model":"glm-4",  "messages": [{"role":"user","content":"hi"}], "top_p": 0.5}';
  expect(made(raw).body.toString()).toBe(raw);
});
