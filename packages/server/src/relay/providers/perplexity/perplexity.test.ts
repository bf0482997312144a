import { describe, expect, test } from 'vitest';
import { buildChannel, buildRequest, feed, relayOptions } from '../../../testing/protocols/build-relay.ts';
import { cuts, readStream, contentOf } from '../../../testing/protocols/codec-bench.ts';
import { haveRecordings, wholeStreams } from '../../../testing/protocols/recordings.ts';
import { bridge } from '../../bridge.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { readOpenaiUsage } from '../../families/openai/index.ts';
import { openaiChat } from '../../protocols/openai-chat/index.ts';
import { perplexity } from './index.ts';

function made(body: JsonObject) {
  const chat = { model: 'sonar', messages: [{ role: 'user', content: 'hi' }], ...body };
  const channel = buildChannel({ type: 27, baseUrl: perplexity.baseUrl });
  return bridge(perplexity, channel, buildRequest('openai-chat', chat), 'sonar', relayOptions);
}
const sent = (body: JsonObject): JsonObject => JSON.parse(made(body).body.toString()) as JsonObject;
const messagesOf = (messages: Json[]): Json | undefined => sent({ messages }).messages;

describe('requests', () => {
  test('fields that Perplexity knows pass, its own among them; others are left out', () => {
    const own = { search_mode: 'academic', search_domain_filter: ['a.test'], return_images: true };
    expect(made({}).url).toBe('https://api.perplexity.ai/chat/completions');
    expect(
      sent({
        ...own,
        temperature: 0,
        stream: true,
        stream_options: {},
        seed: 1,
        user: 'ann',
        logit_bias: {},
      }),
    ).toEqual({
      model: 'sonar',
      messages: [{ role: 'user', content: 'hi' }],
      temperature: 0,
      stream: true,
      ...own,
    });
  });

  test('top_p stays below 1, and a bound on the output has its older name', () => {
    expect(sent({ top_p: 1, max_completion_tokens: 7 })).toMatchObject({ top_p: 0.99, max_tokens: 7 });
    expect(sent({ top_p: 0.5 }).top_p).toBe(0.5);
  });

  test('a body that needs no change passes as its bytes', () => {
    const raw = '{"messages": [ {"role":"user","content":"hi"} ],  "model":"sonar"}';
    const channel = buildChannel({ type: 27, baseUrl: perplexity.baseUrl });
    const call = bridge(perplexity, channel, buildRequest('openai-chat', raw), 'sonar', relayOptions);
    expect(call.body.toString()).toBe(raw);
  });

  test('user and assistant take turns, instructions stand in front', () => {
    expect(
      messagesOf([
        { role: 'user', content: 'a', name: 'ann' },
        { role: 'user', content: [{ type: 'text', text: 'b' }] },
        { role: 'assistant', content: 'c' },
        { role: 'developer', content: 'Be short.' },
        { role: 'user', content: 'd' },
        { role: 'user', content: 'e' },
      ]),
    ).toEqual([
      { role: 'system', content: 'Be short.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      { role: 'assistant', content: 'c' },
      { role: 'user', content: 'd\n\ne' },
    ]);
  });

  test('calls of tools and what they answered are told in brackets; a tool that must be called is refused', () => {
    const call = { id: 'c', type: 'function', function: { name: 'weather', arguments: '{}' } };
    expect(
      messagesOf([
        { role: 'user', content: 'Weather?' },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c', content: 'mild' },
      ]),
    ).toEqual([
      { role: 'user', content: 'Weather?' },
      { role: 'assistant', content: '[called weather with {}]' },
      { role: 'user', content: '[the call answered: mild]' },
    ]);
    expect(() => made({ tool_choice: 'required' })).toThrow(
      expect.objectContaining({ status: 400, code: 'cannot_translate' }),
    );
  });
});

test('reasoning and cited pages of deep research are counted beside the totals, and its searches', () => {
  const raw = {
    prompt_tokens: 33,
    completion_tokens: 7163,
    total_tokens: 7196,
    citation_tokens: 20016,
    num_search_queries: 18,
    reasoning_tokens: 73997,
  };
  expect(readOpenaiUsage(raw)).toMatchObject({
    input: 33 + 20016,
    output: 7163,
    reasoning: 73997,
    webSearchCalls: 18,
  });
});

test.skipIf(!haveRecordings)(
  'recorded streams tell their sources once in translation, and their usage (skipped without the recordings)',
  () => {
    const recordings = wholeStreams('openai-chat').filter(({ vendor }) => vendor === 'perplexity');
    for (const { body, file } of recordings) {
      const reported = contentOf(readStream(openaiChat.codec!, [body]));
      const last = JSON.parse(
        body
          .toString()
          .trim()
          .split(/\r?\n/)
          .findLast((line) => line.startsWith('data: {'))!
          .slice(6),
      ) as {
        citations: string[];
        usage: { prompt_tokens: number; completion_tokens: number };
      };
      expect([file, reported.citations.map(({ url }) => url)]).toEqual([file, last.citations]);
      expect(reported.citations.every(({ title }) => title)).toBe(true);
      expect(reported.usage).toMatchObject({
        usage: { input: last.usage.prompt_tokens, output: last.usage.completion_tokens },
      });
      expect(contentOf(readStream(openaiChat.codec!, cuts(body, 1_000)))).toEqual(reported);
      const pipe = made({ stream: true }).openPipe(200, 'text/event-stream');
      const { end, passed } = feed(pipe, [body]);
      expect(end.outcome).toBe('complete');
      expect(Buffer.concat([passed, end.tail ?? Buffer.alloc(0)]).equals(body)).toBe(true);
    }
  },
);
