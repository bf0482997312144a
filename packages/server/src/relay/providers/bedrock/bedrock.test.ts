import { describe, expect, test } from 'vitest';
import { awsStream, converseFrame } from '../../../testing/protocols/aws-frames.ts';
import { buildChannel, buildRequest, feed, relayOptions } from '../../../testing/protocols/build-relay.ts';
import { sendTools } from '../../../testing/protocols/send-tools.ts';
import { bridge, filesNeeded } from '../../bridge.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { type RelayRequest, RelayError } from '../../types/index.ts';
import { bedrock } from './index.ts';
import { modelId } from './model-ids.ts';

const key = 'AKIDEXAMPLE|a-secret-key|eu-west-1';
const channel = (fields: Parameters<typeof buildChannel>[0] = {}) =>
  buildChannel({ type: 33, key, baseUrl: bedrock.baseUrl, ...fields });
const hello = { max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] };
const claude = 'claude-sonnet-4-5-20250929';

function call(request: RelayRequest, model: string, fields: Parameters<typeof buildChannel>[0] = {}) {
  const made = bridge(bedrock, channel(fields), request, model, relayOptions);
  return { ...made, json: JSON.parse(made.body.toString()) as JsonObject };
}
const messages = (body: JsonObject = {}, headers: Record<string, string> = {}): RelayRequest => ({
  ...buildRequest('anthropic-messages', { model: claude, ...hello, ...body }),
  headers,
});
const chat = (body: JsonObject = {}): RelayRequest =>
  buildRequest('openai-chat', { model: 'm', messages: [{ role: 'user', content: 'hi' }], ...body });

describe('Claude, called in its own protocol, uses Invoke', () => {
  test('with the model in the path and the version in the body, the rest unchanged', () => {
    const made = call(messages({ stream: true, temperature: 0.5, unknown_field: 1 }), claude);
    expect(made.url).toBe(
      'https://bedrock-runtime.eu-west-1.amazonaws.com/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke-with-response-stream',
    );
    expect(made.json).toEqual({
      ...hello,
      temperature: 0.5,
      unknown_field: 1,
      anthropic_version: 'bedrock-2023-05-31',
    });
    expect(made.headers).toEqual({ accept: '*/*', 'content-type': 'application/json' });
    expect(call(messages(), claude).url).toMatch(/\/invoke$/);
  });

  test('without threads, which only Anthropic keeps', () => {
    expect(() => call(messages({ thread: { type: 'create' } }), claude)).toThrow(
      expect.objectContaining({ code: 'cannot_translate', param: 'thread' }),
    );
  });

  test('with the betas of the caller and of the site in the body', () => {
    const settings = {
      'claude.model_headers_settings': { [claude]: { 'anthropic-beta': ['context-1m-2025-08-07'] } },
    };
    const request = messages({}, { 'anthropic-beta': 'interleaved-thinking-2025-05-14, effort-2025-11-24' });
    const made = bridge(bedrock, channel(), request, claude, { ...relayOptions, settings });
    expect(JSON.parse(made.body.toString())).toMatchObject({
      anthropic_beta: ['interleaved-thinking-2025-05-14', 'effort-2025-11-24', 'context-1m-2025-08-07'],
    });
    expect(made.headers['anthropic-beta']).toBeUndefined();
  });

  test('with the suffixes of its name, and files as data', () => {
    const url = 'https://files.test/a.png';
    const text = 'https://files.test/a.txt';
    const content = [
      { type: 'image', source: { type: 'url', url } },
      {
        type: 'tool_result',
        tool_use_id: 'a',
        content: [{ type: 'document', source: { type: 'url', url: text } }],
      },
    ];
    const request = messages({ messages: [{ role: 'user', content }] });
    expect(filesNeeded(bedrock, channel(), request, claude, relayOptions)).toEqual([url, text]);
    const files = new Map([
      [url, { mediaType: 'image/png', base64: 'AAAA' }],
      [text, { mediaType: 'text/plain', base64: Buffer.from('words').toString('base64') }],
    ]);
    const made = call({ ...request, files }, `${claude}-thinking`);
    expect(made.url).toContain('claude-sonnet-4-5-20250929-v1%3A0/');
    expect(made.json.thinking).toEqual({ type: 'enabled', budget_tokens: 1_024 });
    expect(made.json.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
          {
            ...content[1],
            content: [
              { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'words' } },
            ],
          },
        ],
      },
    ]);
  });

  test('also when called in another protocol', () => {
    const made = call(chat({ stream: true, service_tier: 'auto' }), claude);
    expect(made.url).toMatch(/invoke-with-response-stream$/);
    expect(made.json).toEqual({
      messages: [{ role: 'user', content: 'hi' }],
      max_tokens: 8_192,
      anthropic_version: 'bedrock-2023-05-31',
    });
  });
});

describe('all other models use Converse', () => {
  test.each([
    ['nova-lite', 'eu.amazon.nova-lite-v1%3A0'],
    ['us.meta.llama3-3-70b-instruct-v1:0', 'us.meta.llama3-3-70b-instruct-v1%3A0'],
    [
      'arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/abc',
      'arn%3Aaws%3Abedrock%3Aeu-west-1%3A123456789012%3Aapplication-inference-profile%2Fabc',
    ],
  ])('%s', (model, path) => {
    for (const request of [chat(), messages()]) {
      const made = call(request, model);
      expect(made.url).toBe(`https://bedrock-runtime.eu-west-1.amazonaws.com/model/${path}/converse`);
      expect(made.json.messages).toEqual([{ role: 'user', content: [{ text: 'hi' }] }]);
    }
    expect(call(chat({ stream: true }), model).url).toMatch(/\/converse-stream$/);
  });

  test('at the address of the channel where it has one', () => {
    const baseUrl = 'https://vpce-1.bedrock-runtime.eu-west-1.vpce.amazonaws.com';
    expect(call(chat(), 'x', { baseUrl }).url).toBe(`${baseUrl}/model/x/converse`);
    const china = call(chat(), 'x', { key: 'AKID|secret|cn-north-1' });
    expect(china.url).toBe('https://bedrock-runtime.cn-north-1.amazonaws.com.cn/model/x/converse');
  });
});

test.each([
  ['claude-instant-1.2', 'us-east-1', 'anthropic.claude-instant-v1'],
  ['claude-2.1', 'us-east-1', 'anthropic.claude-v2:1'],
  ['claude-3-opus-20240229', 'us-west-2', 'us.anthropic.claude-3-opus-20240229-v1:0'],
  ['claude-3-opus-20240229', 'eu-west-1', 'anthropic.claude-3-opus-20240229-v1:0'],
  ['claude-3-5-sonnet-20241022', 'ap-northeast-1', 'apac.anthropic.claude-3-5-sonnet-20241022-v2:0'],
  ['claude-3-5-sonnet-20241022', 'eu-west-1', 'anthropic.claude-3-5-sonnet-20241022-v2:0'],
  ['claude-sonnet-4-20250514', 'ap-south-1', 'apac.anthropic.claude-sonnet-4-20250514-v1:0'],
  ['claude-sonnet-4-5-20250929', 'ap-northeast-1', 'jp.anthropic.claude-sonnet-4-5-20250929-v1:0'],
  ['claude-haiku-4-5-20251001', 'sa-east-1', 'global.anthropic.claude-haiku-4-5-20251001-v1:0'],
  ['claude-opus-4-6', 'ap-southeast-2', 'au.anthropic.claude-opus-4-6-v1'],
  ['claude-opus-4-7', 'eu-central-1', 'eu.anthropic.claude-opus-4-7'],
  ['claude-sonnet-4-20250514', 'us-gov-west-1', 'anthropic.claude-sonnet-4-20250514-v1:0'],
  ['nova-pro-v1:0', 'us-east-1', 'us.amazon.nova-pro-v1:0'],
  ['anthropic.claude-3-haiku-20240307-v1:0', 'us-east-1', 'anthropic.claude-3-haiku-20240307-v1:0'],
  ['eu.anthropic.claude-sonnet-4-6', 'us-east-1', 'eu.anthropic.claude-sonnet-4-6'],
  ['toString', 'us-east-1', 'toString'],
])('%s in %s is %s', (model, region, id) => {
  expect(modelId(model, region)).toBe(id);
  expect(modelId(id, region)).toBe(id);
});

describe('keys', () => {
  test.each([
    'only-one-part',
    'AKID|secret',
    'AKID|secret|nowhere',
    'AKID|secret|us-east-1.evil.test',
    'AKID||us-east-1',
    'AKID|secret|us-east-1|token|more',
    'api-key|evil.test/',
  ])('%s is the channel’s fault, reported without the key', (bad) => {
    let failure: unknown;
    try {
      call(chat(), 'x', { key: bad });
    } catch (error) {
      failure = error;
    }
    expect(failure).toBeInstanceOf(RelayError);
    expect(failure).toMatchObject({ code: 'invalid_channel_key', blame: 'channel', status: 401 });
    expect(String((failure as RelayError).message)).not.toContain('AKID');
  });

  test('of Bedrock itself are sent unchanged', async () => {
    const made = call(chat(), 'x', { key: 'ABSKQmVk|us-west-2' });
    expect(made.headers.authorization).toBe('Bearer ABSKQmVk');
    expect(made.url).toContain('.us-west-2.');
    const sent = await bedrock.beforeSend!(made, channel({ key: 'ABSKQmVk|us-west-2' }), sendTools());
    expect(sent).toEqual(made);
  });
});

describe('errors', () => {
  const read = (status: number, body: unknown, request = chat()) =>
    call(request, claude).readError(status, 'application/json', Buffer.from(JSON.stringify(body)));

  test.each([
    [
      403,
      { Message: 'User: arn:aws:iam::123456789012:user/me is not authorized' },
      'AccessDeniedException',
      'channel',
    ],
    [
      403,
      { message: 'The security token included in the request is invalid.' },
      'AccessDeniedException',
      'channel',
    ],
    [429, { message: 'Too many requests' }, 'ThrottlingException', 'channel'],
    [400, { message: 'messages: at least one message is required' }, 'ValidationException', 'caller'],
    [400, { message: 'The provided model identifier is invalid.' }, 'ValidationException', 'channel'],
    [
      400,
      { __type: 'com.amazon#ExpiredTokenException', message: 'The security token is expired' },
      'ExpiredTokenException',
      'channel',
    ],
    [
      404,
      { message: 'This model version has reached the end of its life.' },
      'ResourceNotFoundException',
      'channel',
    ],
    [408, { message: 'Model timed out' }, 'ModelTimeoutException', 'channel'],
    [503, { message: 'unavailable' }, 'ServiceUnavailableException', 'channel'],
  ])('%i %j', (status, body, code, blame) => {
    for (const request of [chat(), messages()]) {
      const error = read(status, body, request);
      expect(error).toMatchObject({ status, code, blame });
      expect(error.message).not.toContain('123456789012');
      expect(error.message).not.toBe('');
    }
  });

  test('mask each part of the key', () => {
    const error = read(403, { message: 'AKIDEXAMPLE with a-secret-key in eu-west-1' });
    expect(error.message).toBe('[hidden] with [hidden] in eu-west-1');
  });

  test('of an answer that is not an object are reported by their status', () => {
    const error = call(chat(), 'x').readError(502, 'text/html', Buffer.from('<html>'));
    expect(error).toMatchObject({ status: 502, code: 'bad_response_status_code', blame: 'channel' });
  });
});

test('whole answers of Converse are read', () => {
  const made = call(chat(), 'nova-lite');
  const body = {
    output: { message: { role: 'assistant', content: [{ text: 'Hi' }] } },
    stopReason: 'end_turn',
    usage: { inputTokens: 3, outputTokens: 1, totalTokens: 4 },
  };
  const { end } = feed(made.openPipe(200, 'application/json'), [Buffer.from(JSON.stringify(body))]);
  expect(end).toMatchObject({ outcome: 'complete', usage: { input: 3, output: 1 } });
  const stream = [
    converseFrame('messageStart', { role: 'assistant' }),
    converseFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Hi' } }),
    converseFrame('messageStop', { stopReason: 'end_turn' }),
  ];
  // A stream in reply to a request for a whole answer is collected.
  const { end: gathered } = feed(made.openPipe(200, awsStream), stream);
  expect(JSON.parse(gathered.tail!.toString())).toMatchObject({
    choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }],
  });
});
