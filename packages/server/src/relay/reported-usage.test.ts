import { inputTokens, outputTokens } from '@tollgate/contract';
import { describe, expect, test } from 'vitest';
import { buildChannel, buildRequest, feed, relayOptions } from '../testing/protocols/build-relay.ts';
import { type JsonObject, textOf } from '../lib/json.ts';
import { bridge } from './bridge.ts';
import { providerOf } from './registry.ts';
import type { ProtocolId, Provider } from './types/index.ts';

// A reported usage of a call remains valid: later zeros, a stream that breaks off or an answer without text do not
// change it, for callers of every protocol.

const event = (data: JsonObject): string => `event: ${textOf(data.type)}\ndata: ${JSON.stringify(data)}\n\n`;
const data = (body: JsonObject): string => `data: ${JSON.stringify(body)}\n\n`;

/** Pieces of a stream by a vendor of a protocol. */
interface Voice {
  type: number;
  /** Begins the answer; reports 500 input tokens. */
  begin: string;
  say: string;
  /** Ends the answer; reports 50 output tokens. */
  end: string;
  /** The usage again, with all zeros. */
  zeros: string;
  /** Closes the stream, if the protocol has a closing piece. */
  close: string;
}

const chunk = (delta: JsonObject, more: JsonObject = {}): string =>
  data({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, ...more }] });
const chatUsage = (prompt: number, completion: number): string =>
  data({
    id: 'c',
    object: 'chat.completion.chunk',
    choices: [],
    usage: {
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
      service_tier: 'default',
    },
  });
const delta = (usage: JsonObject, stop: string | null = null): string =>
  event({ type: 'message_delta', delta: { stop_reason: stop }, usage });
const gemini = (text: string, usageMetadata: JsonObject, more: JsonObject = {}): string =>
  data({ candidates: [{ index: 0, content: { parts: [{ text }] }, ...more }], usageMetadata });

const voices: Partial<Record<ProtocolId, Voice>> = {
  'openai-chat': {
    type: 1,
    begin: chunk({ role: 'assistant', content: '' }) + chatUsage(500, 0),
    say: chunk({ content: 'Hello' }),
    end: chunk({}, { finish_reason: 'stop' }) + chatUsage(500, 50),
    zeros: chatUsage(0, 0),
    close: 'data: [DONE]\n\n',
  },
  'anthropic-messages': {
    type: 14,
    begin: event({
      type: 'message_start',
      message: {
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        usage: { input_tokens: 100, cache_read_input_tokens: 400, output_tokens: 1 },
      },
    }),
    say:
      event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }) +
      event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } }) +
      event({ type: 'content_block_stop', index: 0 }),
    // Usage of relays that know only the output.
    end: delta({ input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 50 }, 'end_turn'),
    zeros: delta({ input_tokens: 0, output_tokens: 0, cache_creation: { ephemeral_5m_input_tokens: 0 } }),
    close: event({ type: 'message_stop' }),
  },
  gemini: {
    type: 24,
    begin: gemini('', { promptTokenCount: 500, totalTokenCount: 500 }),
    say: gemini('Hello', { promptTokenCount: 500, totalTokenCount: 500 }),
    end: gemini('', { promptTokenCount: 500, candidatesTokenCount: 50, totalTokenCount: 550 }),
    zeros: gemini('', { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 }),
    close: data({ candidates: [{ index: 0, content: { parts: [] }, finishReason: 'STOP' }] }),
  },
};

const questions = {
  'openai-chat': { messages: [{ role: 'user', content: 'Hi' }], stream_options: { include_usage: true } },
  'openai-responses': { input: 'Hi' },
  'anthropic-messages': { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 9 },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
} as const satisfies Partial<Record<ProtocolId, JsonObject>>;

/** The vendor with only one protocol, so that requests in all others are translated. */
function speaking(protocol: ProtocolId, { type }: Voice): Provider {
  const provider = providerOf(type)!;
  return { ...provider, endpoints: { [protocol]: { ...provider.endpoints[protocol]!, serves: () => true } } };
}

const pairs = Object.entries(voices).flatMap(([upstream, voice]) =>
  Object.keys(questions).map(
    (caller) => [caller as keyof typeof questions, upstream as ProtocolId, voice] as const,
  ),
);

function open(
  caller: keyof typeof questions,
  upstream: ProtocolId,
  voice: Voice,
  stream: boolean,
  kind = 'text/event-stream',
) {
  const request = buildRequest(caller, { model: 'm', ...questions[caller], stream });
  return bridge(speaking(upstream, voice), buildChannel(), request, 'm', relayOptions).openPipe(200, kind);
}

describe.each(pairs)('%s calls a vendor that speaks %s', (caller, upstream, voice) => {
  const ends = (stream: string, broken = false) =>
    feed(open(caller, upstream, voice, true), [Buffer.from(stream)], broken).end;

  test('the last reported usage is the usage', () => {
    const { outcome, usage } = ends(voice.begin + voice.say + voice.end + voice.close);
    expect(outcome).toBe('complete');
    expect([inputTokens(usage!), outputTokens(usage!)]).toEqual([500, 50]);
  });

  test('zeros after a usage are ignored', () => {
    const { outcome, usage } = ends(voice.begin + voice.say + voice.end + voice.zeros + voice.close);
    expect(outcome).toBe('complete');
    expect([inputTokens(usage!), outputTokens(usage!)]).toEqual([500, 50]);
  });

  test('a usage after the end is the usage, within what is kept after an end', () => {
    const { outcome, usage } = ends(voice.begin + voice.say + voice.close + voice.end);
    expect(outcome).toBe('complete');
    expect([inputTokens(usage!), outputTokens(usage!)]).toEqual([500, 50]);
  });

  test('the reported input of a stream that breaks off is known', () => {
    const { outcome, usage, inputUsage } = ends(voice.begin + voice.say, true);
    expect(outcome).toBe('truncated');
    expect(inputTokens((usage ?? inputUsage)!)).toBe(500);
    expect(usage ? outputTokens(usage) : 0).toBe(0);
  });
});

describe.each(Object.keys(questions) as (keyof typeof questions)[])('%s calls Gemini', (caller) => {
  const refused = {
    promptFeedback: { blockReason: 'SAFETY' },
    usageMetadata: { promptTokenCount: 500, totalTokenCount: 500 },
  };

  test.each([true, false])('the input of a blocked prompt is known (stream: %s)', (stream) => {
    const pipe = open(
      caller,
      'gemini',
      voices.gemini!,
      stream,
      stream ? 'text/event-stream' : 'application/json',
    );
    const { end } = feed(pipe, [Buffer.from(stream ? data(refused) : JSON.stringify(refused))]);
    expect(end.outcome).toBe('complete');
    expect(inputTokens((end.usage ?? end.inputUsage)!)).toBe(500);
  });
});
