import { describe, expect, test } from 'vitest';
import { buildChannel, buildRequest, feed, relayOptions } from '../../testing/protocols/build-relay.ts';
import { bridge } from '../bridge.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ProtocolId } from '../types/index.ts';
import { channelTypes, providerOf, providers } from '../registry.ts';
import { keylessTypes } from '@tollgate/contract';

const bodies: Partial<Record<ProtocolId, JsonObject>> = {
  'openai-chat': { model: 'm', messages: [{ role: 'user', content: 'hi' }] },
  'openai-completions': { model: 'm', prompt: 'hi' },
  'openai-embeddings': { model: 'm', input: 'hi' },
};
function made(
  type: number,
  protocol: ProtocolId,
  parts: Parameters<typeof buildChannel>[0] = {},
  model = 'm',
  body = bodies[protocol]!,
) {
  const provider = providerOf(type)!;
  const channel = buildChannel({ type, baseUrl: provider.baseUrl, ...parts });
  return bridge(provider, channel, buildRequest(protocol, body), model, relayOptions);
}
const bodyOf = (call: ReturnType<typeof made>): JsonObject => JSON.parse(call.body.toString()) as JsonObject;

test.each([
  [1, 'openai-chat', 'https://api.openai.com/v1/chat/completions'],
  [
    3,
    'openai-chat',
    'https://r.openai.azure.com/openai/deployments/m/chat/completions?api-version=2025-04-01-preview',
  ],
  [
    3,
    'openai-embeddings',
    'https://r.openai.azure.com/openai/deployments/m/embeddings?api-version=2025-04-01-preview',
  ],
  [4, 'openai-chat', 'http://localhost:11434/v1/chat/completions'],
  [4, 'openai-embeddings', 'http://localhost:11434/api/embed'],
  [6, 'openai-chat', 'https://api.openaimax.com/v1/chat/completions'],
  [7, 'openai-chat', 'https://api.ohmygpt.com/v1/chat/completions'],
  [9, 'openai-chat', 'https://api.caipacity.com/v1/chat/completions'],
  [10, 'openai-chat', 'https://api.aiproxy.io/v1/chat/completions'],
  [12, 'openai-chat', 'https://api.api2gpt.com/v1/chat/completions'],
  [13, 'openai-chat', 'https://api.aigc2d.com/v1/chat/completions'],
  [19, 'openai-chat', 'https://api.360.cn/v1/chat/completions'],
  [20, 'openai-chat', 'https://openrouter.ai/api/v1/chat/completions'],
  [22, 'openai-chat', 'https://fastgpt.run/api/openapi/v1/chat/completions'],
  [25, 'openai-chat', 'https://api.moonshot.cn/v1/chat/completions'],
  [31, 'openai-chat', 'https://api.lingyiwanwu.com/v1/chat/completions'],
  [35, 'openai-chat', 'https://api.minimax.chat/v1/text/chatcompletion_v2'],
  [38, 'openai-embeddings', 'https://api.jina.ai/v1/embeddings'],
  [40, 'openai-chat', 'https://api.siliconflow.cn/v1/chat/completions'],
  [42, 'openai-chat', 'https://api.mistral.ai/v1/chat/completions'],
  [43, 'openai-chat', 'https://api.deepseek.com/v1/chat/completions'],
  [43, 'openai-completions', 'https://api.deepseek.com/beta/completions'],
  [44, 'openai-embeddings', 'https://api.moka.ai/embeddings'],
  [45, 'openai-chat', 'https://ark.cn-beijing.volces.com/api/v3/chat/completions'],
  [45, 'openai-embeddings', 'https://ark.cn-beijing.volces.com/api/v3/embeddings'],
  [48, 'openai-chat', 'https://api.x.ai/v1/chat/completions'],
] as const)('type %i is called in %s at %s', (type, protocol, url) => {
  const parts = type === 3 ? { baseUrl: 'https://r.openai.azure.com' } : {};
  expect(made(type, protocol, parts).url).toBe(url);
});

test('stream usage is requested of all vendors but the one that refuses to be asked', () => {
  const silent = providers.filter(({ streamUsage }) => !streamUsage).map(({ id }) => id);
  expect(silent).toEqual(['mistral']);
});

test("Cloudflare's gateway has the version elsewhere in the path", () => {
  const baseUrl = 'https://gateway.ai.cloudflare.com/v1/acc/gw/openai';
  expect(made(1, 'openai-chat', { baseUrl }).url).toBe(`${baseUrl}/chat/completions`);
  expect(made(3, 'openai-chat', { baseUrl }).url).toBe(
    `${baseUrl}/m/chat/completions?api-version=2025-04-01-preview`,
  );
});

test('Azure: version and deployment follow caller, channel and age of the channel', () => {
  const base = { baseUrl: 'https://r.test' };
  expect(made(3, 'openai-chat', { ...base, other: '2024-02-01' }).url).toContain('api-version=2024-02-01');
  const channel = buildChannel({ ...base, type: 3, other: '2024-02-01' });
  const asked = { ...buildRequest('openai-chat', bodies['openai-chat']!), query: 'api-version=2023-05-15' };
  expect(bridge(providerOf(3)!, channel, asked, 'm', relayOptions).url).toContain('api-version=2023-05-15');
  expect(made(3, 'openai-chat', base, 'gpt-3.5-turbo').url).toContain('/gpt-3.5-turbo/');
  expect(made(3, 'openai-chat', { ...base, createdTime: 1_746_835_199 }, 'gpt-3.5-turbo').url).toContain(
    '/gpt-35-turbo/',
  );
  expect(made(3, 'openai-chat', base, '../../x?y').url).toContain('/deployments/..%2F..%2Fx%3Fy/chat');
  expect(made(3, 'openai-chat', base).headers).toMatchObject({ 'api-key': 'test-channel-key' });
});

test('custom: the base address is the whole address', () => {
  const parts = { baseUrl: 'https://own.test/x/{model}/chat?a=1' };
  expect(made(8, 'openai-chat', parts, 'a/b').url).toBe('https://own.test/x/a%2Fb/chat?a=1');
});

test('OpenAI: the organization has its header', () => {
  expect(made(1, 'openai-chat', { organization: 'org-1' }).headers['openai-organization']).toBe('org-1');
  expect(made(1, 'openai-chat').headers).not.toHaveProperty('openai-organization');
});

test('OpenRouter gets the name of the application', () => {
  expect(made(20, 'openai-chat').headers).toMatchObject({
    'x-title': 'Tollgate',
    'http-referer': expect.stringContaining('http'),
  });
});

test('VolcEngine: applications have their own path', () => {
  expect(made(45, 'openai-chat', {}, 'bot-2024').url).toMatch(/\/api\/v3\/bots\/chat\/completions$/);
});

test('xAI: the small model has an effort', () => {
  const call = made(48, 'openai-chat', {}, 'grok-3-mini-beta-high');
  expect([call.upstreamModel, call.reasoningEffort, bodyOf(call).reasoning_effort]).toEqual([
    'grok-3-mini-beta',
    'high',
    'high',
  ]);
  expect(made(48, 'openai-chat', {}, 'grok-2').reasoningEffort).toBeUndefined();
});

test('Mistral: images are plain addresses, tool calls have short ids that still match', () => {
  const messages = [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'see' },
        { type: 'image_url', image_url: { url: 'https://i.test/a' } },
      ],
    },
    {
      role: 'assistant',
      tool_calls: [{ id: 'call_abcdefghijkl', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'call_abcdefghijkl', content: 'ok' },
    { role: 'tool', tool_call_id: 'abcDEF123', content: 'ok' },
  ];
  const sent = bodyOf(made(42, 'openai-chat', {}, 'm', { model: 'm', messages })).messages as typeof messages;
  expect(sent[0]!.content).toEqual([
    { type: 'text', text: 'see' },
    { type: 'image_url', image_url: 'https://i.test/a' },
  ]);
  expect(sent[1]!.tool_calls![0]!.id).toMatch(/^[A-Za-z0-9]{9}$/);
  expect(sent[2]!.tool_call_id).toBe(sent[1]!.tool_calls![0]!.id);
  expect(sent[3]!.tool_call_id).toBe('abcDEF123');
});

test('MiniMax: a failure with status 200 is a failure', () => {
  const pipe = made(35, 'openai-chat').openPipe(200, 'application/json');
  const { end } = feed(pipe, [
    Buffer.from('{"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}'),
  ]);
  expect(end).toMatchObject({
    outcome: 'error',
    error: { status: 502, message: 'insufficient balance (1008)', blame: 'channel' },
  });
});

test('Ollama: embeddings are translated both ways', () => {
  const body = { model: 'm', input: ['a', 'b'], encoding_format: 'base64', user: 'u', seed: 3 };
  const call = made(4, 'openai-embeddings', {}, 'nomic', body);
  expect(bodyOf(call)).toEqual({ model: 'nomic', input: ['a', 'b'], options: { seed: 3 } });
  const answer = {
    model: 'nomic',
    embeddings: [
      [1, -2.5],
      [0, 4],
    ],
    prompt_eval_count: 6,
  };
  const { end } = feed(call.openPipe(200, 'application/json'), [Buffer.from(JSON.stringify(answer))]);
  expect(end).toMatchObject({ outcome: 'complete', usage: { input: 6 } });
  const shown = JSON.parse(end.tail!.toString()) as {
    object: string;
    data: { index: number; embedding: string }[];
  };
  const floats = Buffer.from(shown.data[0]!.embedding, 'base64');
  expect([shown.object, shown.data.length, floats.readFloatLE(0), floats.readFloatLE(4)]).toEqual([
    'list',
    2,
    1,
    -2.5,
  ]);
  const failed = feed(call.openPipe(200, 'application/json'), [Buffer.from('{"error":"model not found"}')]);
  expect(failed.end).toMatchObject({ outcome: 'error', error: { message: 'model not found' } });
});

const isTools = (type: number): boolean => providerOf(type)?.isToolServer === true;

test('a tool server without a key gets no header for it', () => {
  const [type = 0, ...others] = [...keylessTypes].filter(isTools);
  expect(others).toEqual([]);
  expect(providerOf(type)!.headers(buildChannel({ key: '' }))).toEqual({});
  expect(providerOf(type)!.headers(buildChannel({ key: 'k' }))).toEqual({ authorization: 'Bearer k' });
});

test.each([1, ...keylessTypes].filter((type) => !isTools(type)))(
  'type %i: without a key no call has a header for it',
  (type) => {
    const call = made(type, 'openai-chat', { key: '' });
    const listing = providerOf(type)!.fetchModels!.request(
      buildChannel({ baseUrl: 'http://o.test', key: '' }),
    );
    for (const { headers } of [call, listing]) expect(headers).not.toHaveProperty('authorization');
    // An empty key is no secret: every text contains it, so none would pass unchanged.
    expect(call.secrets).toEqual([]);
  },
);

test('every provider with the paths of OpenAI lists its models', () => {
  const without = providers.filter(({ endpoints, fetchModels, local }) => {
    const channel = buildChannel({ baseUrl: 'https://own.test' });
    const address = { model: 'm', path: '', query: '', stream: false, options: relayOptions };
    const isOpenai = endpoints['openai-responses']?.url(channel, address) === 'https://own.test/v1/responses';
    return isOpenai && !fetchModels && !local;
  });
  expect(without.map(({ id }) => id)).toEqual([]);
});

test.each([
  ['https://own.test/v1/chat/completions', 'https://own.test/v1/models'],
  ['https://own.test/deep/v1/chat/completions?a=1', 'https://own.test/deep/v1/models'],
  ['https://own.test/api/v3/embeddings', 'https://own.test/api/v3/models'],
  ['https://own.test/v1/', 'https://own.test/v1/models'],
  ['https://own.test', 'https://own.test/v1/models'],
  ['https://own.test/rank?m={model}', 'https://own.test/v1/models'],
  ['https://own.test/{model}/v1/chat/completions', 'https://own.test/v1/models'],
])('the custom type with the address %s lists its models at %s', (baseUrl, url) => {
  expect(providerOf(8)!.fetchModels!.request(buildChannel({ baseUrl })).url).toBe(url);
});

test('lists of models are read leniently', () => {
  const read = (type: number, body: unknown) => providerOf(type)!.fetchModels!.read(body);
  expect(read(1, { data: [{ id: 'a' }, { id: 1 }, null, { id: 'b' }] })).toEqual(['a', 'b']);
  expect(read(4, { models: [{ name: 'llama3:8b' }] })).toEqual(['llama3:8b']);
  for (const body of [null, [], 'x', {}, { data: 'x' }]) expect(read(1, body)).toEqual([]);
  const asked = providerOf(4)!.fetchModels!.request(buildChannel({ baseUrl: 'http://o.test', key: '' }));
  expect(asked).toEqual({ url: 'http://o.test/api/tags', headers: {} });
});

test('balances: their addresses, and how the answers are read', () => {
  const now = Date.UTC(2026, 10, 21);
  const ask = (type: number, answers: unknown[]) =>
    providerOf(type)!.balance!.next(buildChannel({ baseUrl: providerOf(type)!.baseUrl }), answers, now)?.url;
  const read = (type: number, ...answers: unknown[]) => providerOf(type)!.balance!.read(answers);
  expect(ask(1, [])).toBe('https://api.openai.com/v1/dashboard/billing/subscription');
  expect(ask(1, [{ has_payment_method: true }])).toContain('usage?start_date=2026-11-01&end_date=2026-11-22');
  expect(ask(1, [{}])).toContain('start_date=2026-08-13');
  expect(ask(1, [{}, {}])).toBeUndefined();
  expect(read(1, { hard_limit_usd: 20 }, { total_usage: 550 })).toBe(14.5);
  expect(read(20, { data: { total_credits: 10, total_usage: 2.5 } })).toBe(7.5);
  expect(read(40, { data: { totalBalance: '3.25' } })).toBe(3.25);
  expect(
    read(43, {
      balance_infos: [
        { currency: 'USD', total_balance: '1' },
        { currency: 'CNY', total_balance: '7.5' },
      ],
    }),
  ).toBe(7.5);
  expect(read(25, { data: { available_balance: 4 } })).toBe(4);
  expect(read(12, { total_remaining: 1.5 })).toBe(1.5);
  expect(read(13, { total_available: 2.5 })).toBe(2.5);
  expect([ask(10, []), read(10, { data: { totalPoints: 9 } })]).toEqual([
    'https://aiproxy.io/api/report/getUserOverview',
    9,
  ]);
  expect(read(43, 'nonsense')).toBe(NaN);
});

describe('images and sound', () => {
  const azure = 'https://r.test/openai/deployments/m';
  const version = '?api-version=2025-04-01-preview';
  const image = { model: 'm', prompt: 'a cat' };
  const media = (type: number, path: string, body: JsonObject = { model: 'm', input: 'hi' }, name = 'm') => {
    const protocol = path.includes('/images/') ? 'openai-images' : 'openai-audio';
    const provider = providerOf(type)!;
    const channel = buildChannel({ type, baseUrl: provider.baseUrl || 'https://r.test' });
    return bridge(provider, channel, { ...buildRequest(protocol, body), path }, name, relayOptions);
  };

  test.each([
    [1, '/v1/images/generations', 'https://api.openai.com/v1/images/generations'],
    [1, '/v1/images/edits', 'https://api.openai.com/v1/images/edits'],
    [1, '/v1/audio/speech', 'https://api.openai.com/v1/audio/speech'],
    [1, '/v1/audio/transcriptions', 'https://api.openai.com/v1/audio/transcriptions'],
    [1, '/v1/audio/translations', 'https://api.openai.com/v1/audio/translations'],
    [3, '/v1/images/generations', `${azure}/images/generations${version}`],
    [3, '/v1/images/edits', `${azure}/images/edits${version}`],
    [3, '/v1/audio/speech', `${azure}/audio/speech${version}`],
    [3, '/v1/audio/transcriptions', `${azure}/audio/transcriptions${version}`],
    [40, '/v1/images/generations', 'https://api.siliconflow.cn/v1/images/generations'],
    [40, '/v1/audio/speech', 'https://api.siliconflow.cn/v1/audio/speech'],
    [45, '/v1/images/generations', 'https://ark.cn-beijing.volces.com/api/v3/images/generations'],
    [48, '/v1/images/generations', 'https://api.x.ai/v1/images/generations'],
  ])('type %i is called for %s at %s', (type, path, url) => {
    expect(media(type, path, path.includes('images') ? image : undefined).url).toBe(url);
  });

  test('xAI gets no size and quality, which it refuses', () => {
    const asked = { ...image, n: 2, size: '1024x1024', quality: 'hd' };
    expect(bodyOf(media(48, '/v1/images/generations', asked))).toEqual({ ...image, n: 2 });
    expect(bodyOf(media(1, '/v1/images/generations', asked))).toEqual(asked);
  });

  test('a channel of a vendor without them refuses', () => {
    expect(() => media(38, '/v1/audio/speech')).toThrow(/do not speak openai-audio/);
  });
});

test.each([
  ['', '/v1/models'],
  ['{"paths":{"openai-chat":"/chat/completions"}}', '/models'],
  ['{"paths":{"openai-chat":"/api/v2/chat/completions?a=1"}}', '/api/v2/models'],
  ['{"paths":{"openai-chat":"/api/{model}/chat"}}', '/v1/models'],
])('the advanced custom type with %s lists its models at %s', (other, path) => {
  const channel = buildChannel({ baseUrl: 'https://own.test', other });
  expect(providerOf(58)!.fetchModels!.request(channel).url).toBe(`https://own.test${path}`);
});

const trimmed = (type: number, baseUrl: string, other = '') =>
  channelTypes.trimAddress(type, { baseUrl, other });

test.each([
  [1, '/v1'],
  [1, '/v1/chat/completions'],
  [1, '/v1/chat'],
  [4, '/v1'],
  [14, '/v1/messages'],
  [17, '/compatible-mode/v1'],
  [26, '/api/paas/v4'],
  [45, '/api/v3/chat/completions'],
  [55, '/v1'],
  [58, '/v1'],
  [9114, '/v1/rerank'],
  [9116, '/v1'],
])('an address of type %i that ends with %s of its calls is saved without it', (type, end) => {
  for (const base of ['https://own.test', 'http://own.test:8080/deep'])
    expect(trimmed(type, base + end)).toBe(base);
});

test.each([
  // The whole address, and the operator's own paths.
  [8, 'https://own.test/v1/chat/completions', ''],
  [58, 'https://own.test/v1', '{"paths":{"openai-chat":"/chat/completions"}}'],
  // Calls under another version.
  [46, 'https://own.test/v1', ''],
  [24, 'https://own.test/v1', ''],
  // A version is a mistake only at the end of an address.
  [1, 'https://gateway.ai.cloudflare.com/v1/a/b/openai', ''],
  [1, 'https://own.test/v10', ''],
  [1, 'https://own.test/xv1', ''],
  [1, 'https://v1', ''],
  [17, 'https://compatible-mode/v1', ''],
  [1, '', ''],
])('an address of type %i that is meant so stays: %s', (type, address, other) => {
  expect(trimmed(type, address, other)).toBe(address);
});

test('the address of each provider itself stays', () => {
  for (const { type, baseUrl } of providers) expect(trimmed(type, baseUrl)).toBe(baseUrl);
});
