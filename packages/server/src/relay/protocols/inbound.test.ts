import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../lib/json.ts';
import { type ProtocolId, refuse, RelayError } from '../types/index.ts';
import { callerProtocol } from '../protocols.ts';

const read = (protocol: ProtocolId, body: JsonObject) => {
  const text = JSON.stringify(body);
  return callerProtocol(protocol)!.inbound.readFacts(body, {
    byteLength: Buffer.byteLength(text),
    charLength: text.length,
  });
};
const messages = [{ role: 'user', content: 'hi' }];
const refusal = (code: string, message: string) =>
  expect.objectContaining({ status: 400, code, blame: 'caller', message });

describe('a chat request', () => {
  test('gives its facts', () => {
    expect(
      read('openai-chat', {
        model: 'm',
        messages,
        stream: true,
        stream_options: { include_usage: true },
        max_tokens: 5,
        max_completion_tokens: 9,
        n: 2,
      }),
    ).toMatchObject({
      model: 'm',
      stream: true,
      wantsStreamUsage: true,
      maxOutputTokens: 9,
      choices: 2,
    });
    expect(
      read('openai-chat', { model: 'm', messages, stream: null, max_tokens: null, n: null }),
    ).toMatchObject({
      stream: false,
      wantsStreamUsage: false,
      maxOutputTokens: 0,
      choices: 1,
    });
  });

  test.each<[JsonObject, string]>([
    [{ messages }, 'field model is required'],
    [{ model: '', messages }, 'field model is required'],
    [{ model: 3, messages }, 'field model is required'],
    [{ model: 'm' }, 'field messages is required'],
    [{ model: 'm', messages: [] }, 'field messages is required'],
    [{ model: 'm', messages: 'hi' }, 'field messages is required'],
    [{ model: 'm', messages: ['hi'] }, 'each message needs a role'],
    [{ model: 'm', messages, stream: 'true' }, 'stream must be true or false'],
    [{ model: 'm', messages, stream: 1 }, 'stream must be true or false'],
    [{ model: 'm', messages, stream_options: 'x' }, 'stream_options must be an object'],
    [
      { model: 'm', messages, web_search_options: { search_context_size: 'huge' } },
      'search_context_size must be one of: high, medium, low',
    ],
  ])('that cannot be used is refused: %j', (body, message) => {
    expect(() => read('openai-chat', body)).toThrow(refusal('invalid_text_request', message));
  });

  const tricks = [-2, 2 ** 30 + 1, 1e30, 0.5, '5', true, [], {}, Number.NaN, Infinity];
  test.each(tricks)('with the bound %j on its output is refused, under either name', (bound) => {
    for (const field of ['max_tokens', 'max_completion_tokens']) {
      const body = { model: 'm', messages, [field]: bound } as JsonObject;
      expect(() => read('openai-chat', body)).toThrow(
        refusal('invalid_text_request', `${field} must be a whole number from 0 to 1073741824`),
      );
    }
  });
  test('with the bound -1, as LM Studio and llama.cpp say it, has none', () => {
    for (const field of ['max_tokens', 'max_completion_tokens'])
      expect(read('openai-chat', { model: 'm', messages, [field]: -1 })).toMatchObject({
        maxOutputTokens: 0,
      });
  });
  test.each([0, -1, 129, 1.5, '2', 1e9])('for %j choices is refused', (n) => {
    expect(() => read('openai-chat', { model: 'm', messages, n })).toThrow(
      refusal('invalid_text_request', 'n must be a whole number from 1 to 128'),
    );
  });

  test('is estimated near its size in tokens, never far below, in any script', () => {
    const estimate = (content: string): number =>
      read('openai-chat', { model: 'm', messages: [{ role: 'user', content }] }).estimatedInputTokens;
    // Real counts: about 2,000 for the English text, 10,000 for the Chinese one, 3,000 or more for the emoji.
    expect(estimate('The quick brown fox jumps. '.repeat(300))).toBeGreaterThan(2_000);
    expect(estimate('The quick brown fox jumps. '.repeat(300))).toBeLessThan(3_500);
    expect(estimate('\u4f60\u597d\u4e16\u754c'.repeat(2_500))).toBeGreaterThan(10_000);
    expect(estimate('\u{1f600}'.repeat(1_000))).toBeGreaterThan(1_300);
  });

  test('with pictures is not sized as a long text', () => {
    const url = `data:image/png;base64,${'A'.repeat(4_000_000)}`;
    const content = [
      { type: 'text', text: 'see' },
      { type: 'image_url', image_url: { url } },
      { type: 'image_url', image_url: { url, detail: 'low' } },
    ];
    const { estimatedInputTokens } = read('openai-chat', {
      model: 'm',
      messages: [{ role: 'user', content }],
    });
    expect(estimatedInputTokens).toBeGreaterThan(1_105 + 85);
    expect(estimatedInputTokens).toBeLessThan(1_500);
    const audio = [{ type: 'input_audio', input_audio: { data: 'A'.repeat(300_000), format: 'wav' } }];
    expect(
      read('openai-chat', { model: 'm', messages: [{ role: 'user', content: audio }] }).estimatedInputTokens,
    ).toBeLessThan(1_000);
  });
});

describe('other requests', () => {
  test('a completion counts the choices that are generated, not those that are returned', () => {
    expect(
      read('openai-completions', { model: 'm', prompt: 'x', best_of: 4, n: 2, max_tokens: 3 }),
    ).toMatchObject({ choices: 4, maxOutputTokens: 3 });
    expect(read('openai-completions', { model: 'm', prompt: ['x', 'y', 'z'], n: 2 }).choices).toBe(6);
    expect(read('openai-completions', { model: 'm', prompt: [1, 2, 3] }).choices).toBe(1);
    expect(() => read('openai-completions', { model: 'm' })).toThrow(
      refusal('invalid_text_request', 'field prompt is required'),
    );
  });

  test('embeddings need an input', () => {
    expect(read('openai-embeddings', { model: 'm', input: ['a'], stream: true })).toMatchObject({
      model: 'm',
      stream: false,
    });
    for (const input of ['', [], null, 3, {}]) {
      expect(() => read('openai-embeddings', { model: 'm', input })).toThrow(
        refusal('invalid_embedding_request', 'field input is required'),
      );
    }
    expect(() => read('openai-embeddings', { model: 'm', input: 'a', dimensions: -1 })).toThrow(RelayError);
  });

  test('moderations have a default model', () => {
    expect(read('openai-moderations', { input: 'x' }).model).toBe('text-moderation-stable');
    expect(read('openai-moderations', { input: 'x', model: 'omni-moderation-latest' }).model).toBe(
      'omni-moderation-latest',
    );
  });
});

/** Protocols whose errors have OpenAI's shape in streams too. */
const shapedAsOpenai = [
  'openai-chat',
  'openai-completions',
  'openai-embeddings',
  'openai-moderations',
] as const;

test('refusals of the gateway have the request id in their message, as answer and in mid-stream', () => {
  const error = refuse('insufficient_user_quota').copy({ message: 'no quota' });
  const shown = {
    error: {
      message: 'no quota (request id: R1)',
      type: 'new_api_error',
      param: '',
      code: 'insufficient_user_quota',
    },
  };
  for (const id of shapedAsOpenai) {
    const inbound = callerProtocol(id)!.inbound;
    const { status, body } = inbound.writeError(error, 'R1');
    expect([status, JSON.parse(body)]).toEqual([403, shown]);
    expect(inbound.writeStreamError(error, 'R1').toString()).toBe(`data: ${JSON.stringify(shown)}\n\n`);
    expect(inbound.ping.toString()).toBe(': PING\n\n');
  }
});
