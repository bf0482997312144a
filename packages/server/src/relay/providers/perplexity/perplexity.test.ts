import { describe, expect, test } from 'vitest';
import { buildChannel, buildRequest, feed, relayOptions } from '../../../testing/protocols/build-relay.ts';
import { readStream, contentOf } from '../../../testing/protocols/codec-bench.ts';
import { haveRecordings, wholeStreams } from '../../../testing/protocols/recordings.ts';
import { bridge } from '../../bridge.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { readOpenaiUsage } from '../../families/openai/index.ts';
import { openaiChat } from '../../protocols/openai-chat/index.ts';
import { perplexity } from './index.ts';

type Asked = 'openai-chat' | 'openai-responses';
const smallest: Record<Asked, JsonObject> = {
  'openai-chat': { messages: [{ role: 'user', content: 'hi' }] },
  'openai-responses': { input: 'hi' },
};

function made(asked: Asked, fields: JsonObject, model = 'perplexity/sonar') {
  const channel = buildChannel({ type: 27, baseUrl: perplexity.baseUrl });
  const request = buildRequest(asked, { model, ...smallest[asked], ...fields });
  return bridge(perplexity, channel, request, model, relayOptions);
}
const sent = (...call: Parameters<typeof made>): JsonObject =>
  JSON.parse(made(...call).body.toString()) as JsonObject;
const refusal = expect.objectContaining({ status: 400, code: 'cannot_translate' });

describe('requests', () => {
  test('have fields that Perplexity refuses reported as left out', () => {
    const fields = { temperature: 0, seed: 1, user: 'ann', top_k: 3, max_completion_tokens: 7 };
    expect(sent('openai-chat', fields)).toEqual({
      model: 'perplexity/sonar',
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }],
      stream: false,
      temperature: 0,
      max_output_tokens: 16,
      store: false,
    });
    expect(made('openai-chat', fields).dropped).toEqual(expect.arrayContaining(['seed', 'user']));
  });

  test('pass Perplexity’s own fields and tools for callers of Responses', () => {
    const own = {
      preset: 'low',
      max_steps: 3,
      language_preference: 'fr',
      tools: [{ type: 'fetch_url', max_urls: 2 }],
    };
    expect(sent('openai-responses', own)).toMatchObject(own);
  });

  test('keep a search under its old names, whatever other tools they have', () => {
    const weather = { type: 'function', function: { name: 'weather', parameters: {} } };
    const { tools } = sent('openai-chat', { tools: [weather] }, 'sonar');
    expect(tools).toEqual([
      { type: 'function', name: 'weather', parameters: { type: 'object' }, strict: false },
      { type: 'web_search' },
    ]);
    const { model, preset } = sent('openai-chat', {}, 'sonar-deep-research');
    expect([model, preset]).toEqual([undefined, 'medium']);
    expect(sent('openai-chat', {}).tools).toBeUndefined();
  });

  test('have the sites, location and size of a search', () => {
    const tool = {
      type: 'web_search_preview',
      search_context_size: 'low',
      filters: { allowed_domains: ['a.test'] },
      user_location: { type: 'approximate', city: 'Paris', country: 'FR', timezone: 'Europe/Paris' },
    };
    const fields = { tools: [tool], tool_choice: { type: 'web_search_preview' } };
    expect(sent('openai-responses', fields, 'sonar')).toMatchObject({
      tools: [
        {
          type: 'web_search',
          search_context_size: 'low',
          filters: { search_domain_filter: ['a.test'] },
          user_location: { city: 'Paris', country: 'FR' },
        },
      ],
      tool_choice: { type: 'web_search' },
    });
  });

  test('have a schema for the answer in the format of chats', () => {
    const schema = { type: 'object', properties: {} };
    const format = { type: 'json_schema', json_schema: { name: 'a', schema } };
    expect(sent('openai-chat', { response_format: format })).toMatchObject({ response_format: format });
    expect(sent('openai-chat', { response_format: format }).text).toBeUndefined();
  });

  test('keep calls, their results and pictures; files are refused', () => {
    const image = 'data:image/png;base64,AAAA';
    const call = { id: 'c', type: 'function', function: { name: 'weather', arguments: '{}' } };
    const messages = [
      { role: 'user', content: [{ type: 'image_url', image_url: { url: image, detail: 'low' } }] },
      { role: 'assistant', content: 'Let me see.', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: 'mild' },
    ];
    expect(sent('openai-chat', { messages }).input).toEqual([
      { type: 'message', role: 'user', content: [{ type: 'input_image', image_url: image }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Let me see.' }] },
      { type: 'function_call', call_id: 'c', name: 'weather', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: 'mild' },
    ]);
    const file = { type: 'input_file', file_url: 'https://a.test/a.pdf' };
    expect(() => made('openai-responses', { input: [{ role: 'user', content: [file] }] })).toThrow(refusal);
    expect(() => made('openai-responses', { tools: [{ type: 'x_search' }] })).toThrow(refusal);
  });
});

describe('answers', () => {
  const event = (body: JsonObject): Buffer => Buffer.from(`data: ${JSON.stringify(body)}\n\n`);
  const failure = { message: 'the model is gone', type: 'internal_error', code: 500 };

  test.each<[Asked, JsonObject]>([
    ['openai-chat', { type: 'response.failed', error: failure }],
    ['openai-responses', { type: 'response.failed', error: failure }],
    ['openai-chat', { type: 'response.cancelled', response: { status: 'cancelled', error: failure } }],
    ['openai-responses', { type: 'response.cancelled', response: { status: 'cancelled', error: failure } }],
  ])('%s: a stream that fails has the reason: %j', (asked, body) => {
    const { end } = feed(made(asked, { stream: true }).openPipe(200, 'text/event-stream'), [event(body)]);
    expect(end.outcome).not.toBe('complete');
    expect(end.error?.message).toContain('the model is gone');
  });

  test.each<Asked>(['openai-chat', 'openai-responses'])(
    '%s: an answer that was cancelled is a failure',
    (asked) => {
      const body = { object: 'response', status: 'cancelled', output: [], error: failure };
      const { end } = feed(made(asked, {}).openPipe(200, 'application/json'), [
        Buffer.from(JSON.stringify(body)),
      ]);
      expect(end.error?.message).toContain('the model is gone');
    },
  );

  test('have the reported cost', () => {
    const cost = { currency: 'USD', total_cost: 0.0051 };
    expect(readOpenaiUsage({ input_tokens: 3, output_tokens: 1, total_tokens: 4, cost })).toMatchObject({
      input: 3,
      output: 1,
      reportedCost: 0.0051,
    });
  });
});

test.skipIf(!haveRecordings)(
  'of older recordings have their sources once (skipped without the recordings)',
  () => {
    const recordings = wholeStreams('openai-chat').filter(({ vendor }) => vendor === 'perplexity');
    for (const { body, file } of recordings) {
      const reported = contentOf(readStream(openaiChat.codec!, [body]));
      const lines = body.toString().trim().split(/\r?\n/);
      const last = JSON.parse(lines.findLast((line) => line.startsWith('data: {'))!.slice(6)) as {
        citations: string[];
      };
      expect([file, reported.citations.map(({ url }) => url)]).toEqual([file, last.citations]);
    }
  },
);
