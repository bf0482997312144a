import { describe, expect, test } from 'vitest';
import { converseFrame } from '../../../testing/protocols/aws-frames.ts';
import { writerOptions } from '../../../testing/protocols/build-relay.ts';
import { readAnswer, readStream, contentOf, unbalanced } from '../../../testing/protocols/codec-bench.ts';
import { readByBedrock } from '../../../testing/protocols/read-by-bedrock.ts';
import { unframed } from '../../../testing/protocols/recordings.ts';
import type { ChatEvent } from '../../types/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { anthropicMessages } from '../anthropic-messages/index.ts';
import { bedrockConverse } from './index.ts';

type Frame = readonly [type: string, body: object];
const start: Frame = ['messageStart', { role: 'assistant' }];
const delta = (contentBlockIndex: number, each: object): Frame => [
  'contentBlockDelta',
  { contentBlockIndex, delta: each },
];
const begin = (contentBlockIndex: number, each: object): Frame => [
  'contentBlockStart',
  { contentBlockIndex, start: each },
];
const stop = (contentBlockIndex: number): Frame => ['contentBlockStop', { contentBlockIndex }];
const end = (stopReason = 'end_turn'): Frame => ['messageStop', { stopReason }];
const usage: Frame = ['metadata', { usage: { inputTokens: 4, outputTokens: 2, totalTokens: 6 } }];

const streamOf = (frames: readonly Frame[]): Buffer =>
  Buffer.concat(frames.map(([type, body]) => converseFrame(type, body)));
const read = (...frames: Frame[]): ChatEvent[] =>
  readStream(bedrockConverse.codec, unframed([streamOf(frames)]));
const place = (block: number) => ({ choice: 0, block });

describe('a stream', () => {
  test('has thoughts, redacted thoughts, text and a call without input', () => {
    const events = read(
      start,
      delta(0, { reasoningContent: { text: 'hm' } }),
      delta(0, { reasoningContent: { signature: 'si' } }),
      delta(0, { reasoningContent: { signature: 'g' } }),
      stop(0),
      delta(1, { reasoningContent: { redactedContent: 'c2VjcmV0' } }),
      stop(1),
      delta(2, { text: '' }),
      delta(2, { text: 'Yes' }),
      stop(2),
      begin(3, { toolUse: { toolUseId: 'tooluse_1', name: 'f' } }),
      stop(3),
      end('tool_use'),
      usage,
    );
    const signer = 'bedrock-converse';
    expect(events).toEqual([
      { type: 'start', id: '', model: '', createdSeconds: 0 },
      { type: 'reasoning-start', ...place(0) },
      { type: 'reasoning-delta', ...place(0), text: 'hm' },
      { type: 'reasoning-end', ...place(0), signature: 'sig', signer },
      { type: 'reasoning-start', ...place(1) },
      { type: 'reasoning-end', ...place(1), redacted: 'c2VjcmV0', signer },
      { type: 'text-start', ...place(2) },
      { type: 'text-delta', ...place(2), text: 'Yes' },
      { type: 'text-end', ...place(2) },
      { type: 'tool-input-start', ...place(3), id: 'tooluse_1', name: 'f' },
      { type: 'tool-input-delta', ...place(3), text: '{}' },
      { type: 'tool-input-end', ...place(3) },
      { type: 'finish', choice: 0, reason: { unified: 'tool-calls', raw: 'tool_use' } },
      { type: 'usage', usage: expect.objectContaining({ input: 4, output: 2 }) as object },
    ]);
  });

  test('that breaks off leaves no block open', () => {
    const events = read(
      start,
      delta(0, { text: 'Hi' }),
      begin(1, { toolUse: { toolUseId: 'a', name: 'f' } }),
      delta(1, { toolUse: { input: '{"x' } }),
    );
    expect(unbalanced(events)).toEqual([]);
    expect(events.some(({ type }) => type === 'finish')).toBe(false);
  });

  test('with an event that is not JSON ends in an error, its blocks closed', () => {
    const reader = bedrockConverse.codec.openReader();
    const events: ChatEvent[] = [];
    const emit = (event: ChatEvent) => void events.push(event);
    reader.read({ name: 'contentBlockDelta', data: '{"contentBlockIndex":0,"delta":{"text":"Hi"}}' }, emit);
    reader.read({ name: 'contentBlockDelta', data: '{"contentBlock' }, emit);
    reader.read({ name: 'messageStop', data: '{"stopReason":"end_turn"}' }, emit);
    expect(events.slice(-2).map(({ type }) => type)).toEqual(['text-end', 'error']);
  });

  test('after its stop reason has only its usage read', () => {
    const late = [delta(7, { text: 'late' }), end('max_tokens'), ['somethingNew', {}] as Frame];
    const events = read(
      start,
      delta(0, { text: 'Hi' }),
      stop(0),
      end(),
      ...late,
      usage,
      delta(8, { text: 'x' }),
    );
    expect(contentOf(events)).toMatchObject({ text: 'Hi', finish: { reason: { unified: 'stop' } } });
    expect(events.at(-1)?.type).toBe('usage');
  });

  test.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['guardrail_intervened', 'content-filter'],
    ['content_filtered', 'content-filter'],
    ['malformed_tool_use', 'error'],
    ['toString', 'other'],
  ])('that ended by %s', (raw, unified) => {
    expect(contentOf(read(start, end(raw))).finish).toMatchObject({ reason: { raw, unified } });
  });
});

describe('sources', () => {
  const web = { location: { web: { url: 'https://ruby.test/', domain: 'ruby.test' } } };
  const place0 = { location: { documentChar: { documentIndex: 0, start: 0, end: 9 } } };

  test('belong to the text before them, where they are in blocks of their own', () => {
    const frames = [
      start,
      delta(0, { text: 'It is 4.' }),
      stop(0),
      delta(1, { citation: web }),
      stop(1),
      end(),
    ];
    const events = read(...frames, usage);
    expect(events.map(({ type }) => type)).toEqual([
      'start', 'text-start', 'text-delta', 'annotation', 'text-end', 'finish', 'usage',
    ]); // prettier-ignore
    const writer = anthropicMessages.codec!.openWriter(writerOptions());
    const written = events.map((event) => writer.write(event)).join('');
    expect(written).toContain('citations_delta');
    expect(written.match(/content_block_start"/g)).toHaveLength(1);
  });

  test('begin the text that follows them in their own block', () => {
    const citation = { ...place0, title: 'facts', sourceContent: [{ text: 'by ' }, { text: 'Matz' }] };
    const events = read(start, delta(0, { citation }), delta(0, { text: 'Matz' }), stop(0), end(), usage);
    expect(events.slice(1, 4)).toEqual([
      { type: 'text-start', ...place(0) },
      {
        type: 'annotation',
        choice: 0,
        citation: { title: 'facts', citedText: 'by Matz' },
        extra: { protocol: 'bedrock-converse', fields: citation },
      },
      { type: 'text-delta', ...place(0), text: 'Matz' },
    ]);
  });
});

test('calls of the vendor’s own tools are not calls of the caller’s, and searches are counted', () => {
  const frames = [
    begin(0, { toolUse: { toolUseId: 'a', name: 'nova_grounding', type: 'server_tool_use' } }),
    delta(0, { toolUse: { input: '{"query":"x"}' } }),
    stop(0),
    begin(1, { toolResult: { toolUseId: 'a', type: 'nova_grounding_result', status: 'success' } }),
    delta(1, { toolResult: [{ text: 'hidden' }] }),
    stop(1),
    begin(2, { toolUse: { toolUseId: 'b', name: 'nova_code_interpreter', type: 'server_tool_use' } }),
    stop(2),
  ];
  const events = read(start, ...frames, delta(3, { text: 'Yes' }), stop(3), end(), usage);
  expect(contentOf(events)).toMatchObject({ text: 'Yes', tools: [], input: '' });
  expect(contentOf(events).usage).toMatchObject({ usage: { webSearchCalls: 1, input: 4 } });
});

test('cached tokens are beside the input, writes are separated by their duration', () => {
  const counted: Frame = [
    'metadata',
    {
      usage: {
        inputTokens: 3,
        outputTokens: 2,
        totalTokens: 120,
        cacheReadInputTokens: 15,
        cacheWriteInputTokens: 100,
        cacheDetails: [
          { ttl: '1h', inputTokens: 60 },
          { ttl: '5m', inputTokens: 40 },
        ],
      },
    },
  ];
  expect(contentOf(read(start, end(), counted)).usage).toMatchObject({
    usage: { input: 3, cacheRead: 15, cacheWrite5m: 40, cacheWrite1h: 60, output: 2 },
  });
});

describe('a picture', () => {
  const source = { kind: 'data', mediaType: 'image/png', base64: 'AAAABBBB' };
  test('arrives in parts or whole', () => {
    const events = read(
      start,
      begin(0, { image: { format: 'png' } }),
      delta(0, { image: { source: { bytes: 'AAAA' } } }),
      delta(0, { image: { source: { bytes: 'BBBB' } } }),
      stop(0),
      end(),
      usage,
    );
    expect(events).toContainEqual({ type: 'file', choice: 0, source });
    const image = { format: 'png', source: { bytes: 'AAAABBBB' } };
    const whole = { output: { message: { content: [{ image }] } }, stopReason: 'end_turn' };
    expect(readAnswer(bedrockConverse.codec, whole)).toContainEqual({ type: 'file', choice: 0, source });
  });
});

describe('a whole answer', () => {
  const answer: JsonObject = {
    output: {
      message: {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 'hm', signature: 'sig' } } },
          { reasoningContent: { redactedContent: 'c2Vj' } },
          { text: 'One ' },
          { citationsContent: { content: [{ text: 'two' }], citations: [{ title: 't' }] } },
          { toolUse: { toolUseId: 'a', name: 'f', input: { x: [1] } } },
        ],
      },
    },
    stopReason: 'stop_sequence',
    additionalModelResponseFields: { stop_sequence: 'END' },
    usage: { inputTokens: 4, outputTokens: 2, totalTokens: 6 },
    metrics: { latencyMs: 1 },
  };

  test('reads as the vendor’s own client reads it', async () => {
    const events = readAnswer(bedrockConverse.codec, answer);
    const { text, reasoning, tools, input, finish, usage: translated, proofs, citations } = contentOf(events);
    const read = await readByBedrock(Buffer.from(JSON.stringify(answer)), 'application/json', false);
    expect({
      text,
      thinking: reasoning,
      tools: [{ name: tools[0]![1], input: JSON.parse(input) as unknown }],
    }).toEqual({
      text: read.text,
      thinking: read.thinking,
      tools: read.tools,
    });
    expect([proofs, citations]).toEqual([['sig'], [{ title: 't' }]]);
    expect(finish).toMatchObject({ reason: { unified: 'stop', raw: 'stop_sequence', sequence: 'END' } });
    expect(translated).toMatchObject({ usage: { input: 4, output: 2 } });
    expect(unbalanced(events)).toEqual([]);
  });

  test('that is not one is empty', () => {
    for (const body of [{}, { output: {} }, { output: { message: { content: 'x' } } }, { message: 'no' }]) {
      expect(readAnswer(bedrockConverse.codec, body)).toEqual([]);
    }
  });
});
