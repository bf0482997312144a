import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { cutMidEvent } from '../../testing/upstream/fake-upstream-faults.ts';

let gate: GatewayHarness;
let caller: TestCaller;
let poor: TestCaller;

beforeAll(async () => {
  gate = await openGateway();
  await gate.addChannel({ models: 'gpt-4o-mini,claude-3-5-haiku-20241022' });
  await gate.addChannel({ models: 'elsewhere', group: 'vip' });
  await gate.addChannel({ models: 'unpriced' });
  caller = await gate.addCaller();
  poor = await gate.addCaller({ balance: 0 });
});
afterAll(() => gate.close());
afterEach(() => gate.core.settings.set('DefaultLanguage', 'auto'));

const chinese = /\p{Script=Han}/u;
const messages = [{ role: 'user', content: 'hi' }];
const chat = { model: 'gpt-4o-mini', messages };

interface Asked {
  path?: string;
  key?: string;
  body?: unknown;
  /** Accept-Language; '' sends a value without a language. */
  language?: string;
  headers?: Record<string, string>;
}

/** The text of an answer. A request with an encoded body does not take the fast path in front of Node's server. */
async function ask({
  path = '/v1/chat/completions',
  key = caller.key,
  body = chat,
  language = '',
  headers,
}: Asked) {
  const answer = await fetch(gate.url + path, {
    method: body === null ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      ...(language !== '' && { 'accept-language': language }),
      ...headers,
    },
    ...(body !== null && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: answer.status, text: await answer.text() };
}

const refusals: [string, () => Asked, string, string][] = [
  ['a wrong key', () => ({ key: 'sk-nobody' }), '无效的令牌', 'Invalid API key'],
  ['no channel', () => ({ body: { ...chat, model: 'elsewhere' } }), '无可用渠道', 'No available channels'],
  ['a model without a price', () => ({ body: { ...chat, model: 'unpriced' } }), '未配置', 'price not set'],
  ['an empty balance', () => ({ key: poor.key }), '用户额度不足', 'user quota is not enough'],
  ['a broken body', () => ({ body: '{' }), '不是合法的 JSON', 'not valid JSON'],
  [
    'a missing field',
    () => ({ body: { model: 'm' } }),
    '缺少必填字段 messages',
    'field messages is required',
  ],
  ['an unknown path', () => ({ path: '/v1/nothing', body: null }), '无效的地址', 'Invalid URL'],
  ['a call not made', () => ({ path: '/v1/fine-tunes', body: null }), '尚未实现', 'not implemented'],
  ['a socket by GET', () => ({ path: '/v1/realtime', body: null }), 'WebSocket 接口', 'is a websocket'],
  ['an unknown model', () => ({ path: '/v1/models/none', body: null }), '模型 none 不存在', 'does not exist'],
  ['Messages', () => ({ path: '/v1/messages', key: 'sk-nobody' }), '无效的令牌', 'Invalid API key'],
  [
    'Gemini',
    () => ({ path: '/v1beta/models/none:generateContent', body: { contents: [{ parts: [{ text: 'x' }] }] } }),
    '模型 none 不存在',
    'does not exist',
  ],
  [
    'a bad Idempotency-Key',
    () => ({ headers: { 'idempotency-key': 'ä'.repeat(3) } }),
    '必须是 1 到 255 个',
    'must be 1 to 255',
  ],
  [
    'an encoding nobody speaks, past the fast lane',
    () => ({ headers: { 'content-encoding': 'lzma' } }),
    '不支持的 Content-Encoding',
    'is not supported',
  ],
];

it.each(refusals)('%s is refused in the language of the caller', async (_name, asked, zh, en) => {
  const inChinese = await ask({ ...asked(), language: 'zh-CN,zh;q=0.9,en;q=0.5' });
  expect(inChinese.text).toContain(zh);
  const inEnglish = await ask({ ...asked(), language: 'en-GB, zh;q=0.1' });
  expect(inEnglish.text).toContain(en);
  expect(inEnglish.text).not.toMatch(chinese);
  expect(inEnglish.status).toBe(inChinese.status);
});

it.each(refusals)(
  '%s is refused in the language of the site if the caller names none',
  async (_name, asked, zh, en) => {
    await gate.core.settings.set('DefaultLanguage', 'en');
    for (const language of ['', '*', 'fr']) expect((await ask({ ...asked(), language })).text).toContain(en);
    expect((await ask({ ...asked(), language: 'zh' })).text).toContain(zh);
    await gate.core.settings.set('DefaultLanguage', 'zh');
    expect((await ask(asked())).text).toContain(zh);
  },
);

it.each(refusals)(
  '%s is refused in English if neither caller nor site names a language',
  async (_name, asked, _zh, en) => {
    const { text } = await ask(asked());
    expect(text).toContain(en);
    expect(text).not.toMatch(/[\p{Script=Han}＄]/u);
  },
);

it.each([
  ['zh', '上游中断了响应'],
  ['en', 'the upstream broke off its answer'],
])('a stream that breaks off ends in %s', async (language, words) => {
  gate.upstream.script(cutMidEvent());
  const { text } = await ask({ body: { ...chat, stream: true }, language });
  gate.upstream.script('healthy');
  expect(text).toContain(words);
});

it.each([
  ['zh', '内最多请求1次'],
  ['en', 'at most 1 requests in'],
])('an exceeded limit is reported in %s', async (language, words) => {
  const busy = await gate.addCaller();
  const { settings } = gate.core;
  await settings.setMany({ ModelRequestRateLimitEnabled: 'true', ModelRequestRateLimitSuccessCount: '1' });
  await ask({ key: busy.key });
  const { status, text } = await ask({ key: busy.key, language });
  await settings.setMany({
    ModelRequestRateLimitEnabled: 'false',
    ModelRequestRateLimitSuccessCount: '1000',
  });
  expect(status).toBe(429);
  expect(text).toContain(words);
});

it.each([
  ['zh', '已用于另一个请求'],
  ['en', 'was used with another request'],
])('a reused idempotency key is refused in %s', async (language, words) => {
  const headers = { 'idempotency-key': `twice-${language}` };
  await ask({ headers });
  const { status, text } = await ask({ headers, body: { ...chat, max_tokens: 3 }, language });
  expect(status).toBe(422);
  expect(text).toContain(words);
});
