import { usageOf } from '@tollgate/contract';
import { describe, expect, it } from 'vitest';
import { readClientEvent, readServerEvent } from './events.ts';
import { chooseProtocol } from './handshake.ts';
import { pcm16, readFormat, readSession, soundTokens } from './sound.ts';
import { readRealtimeUsage, readTranscriptionUsage } from './usage.ts';

const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

describe('the usage of a response', () => {
  const inside = { text_tokens: 60, audio_tokens: 30, image_tokens: 10 };
  it.each([
    ['text alone', { input_tokens: 7, output_tokens: 3 }, { input: 7, output: 3 }],
    [
      'each class, cached ones by class',
      {
        input_tokens: 100,
        output_tokens: 50,
        input_token_details: {
          ...inside,
          cached_tokens: 35,
          cached_tokens_details: { text_tokens: 20, audio_tokens: 10, image_tokens: 5 },
        },
        output_token_details: { text_tokens: 10, audio_tokens: 40 },
      },
      { input: 40, cacheRead: 35, audioInput: 20, imageInput: 5, output: 10, audioOutput: 40 },
    ],
    [
      'cached tokens without classes are text first, then sound',
      { input_tokens: 100, output_tokens: 0, input_token_details: { ...inside, cached_tokens: 70 } },
      { input: 0, cacheRead: 70, audioInput: 20, imageInput: 10 },
    ],
    [
      'details beyond their total are cut to fit',
      {
        input_tokens: 10,
        output_tokens: 5,
        input_token_details: {
          audio_tokens: 99,
          cached_tokens: 99,
          cached_tokens_details: { audio_tokens: 99 },
        },
        output_token_details: { audio_tokens: 99 },
      },
      { cacheRead: 10, audioOutput: 5 },
    ],
    [
      'numbers that are none count as nothing',
      {
        input_tokens: 10,
        output_tokens: '5',
        input_token_details: { audio_tokens: -3, cached_tokens: Number.NaN },
      },
      { input: 10 },
    ],
  ])('%s', (_name, raw, counters) => {
    expect(readRealtimeUsage(raw)).toEqual(usageOf(counters));
  });

  it('is none where nothing is reported', () => {
    expect(readRealtimeUsage({})).toBeUndefined();
    expect(readRealtimeUsage({ input_tokens: 0, output_tokens: 0, total_tokens: 9 })).toBeUndefined();
  });

  it('of a transcription is in tokens or in seconds', () => {
    const tokens = {
      type: 'tokens',
      input_tokens: 14,
      output_tokens: 45,
      input_token_details: { audio_tokens: 14 },
    };
    expect(readTranscriptionUsage(tokens)).toEqual(usageOf({ audioInput: 14, output: 45 }));
    expect(readTranscriptionUsage({ type: 'duration', seconds: 12.4 })).toEqual(usageOf({ input: 217 }));
    expect(readTranscriptionUsage({ type: 'duration', seconds: -1 })).toBeUndefined();
  });
});

describe('events', () => {
  it.each([
    ['response.text.delta'],
    ['response.output_text.delta'],
    ['response.audio_transcript.delta'],
    ['response.output_audio_transcript.delta'],
    ['response.function_call_arguments.delta'],
  ])('%s is text', (type) => {
    expect(readServerEvent(bytes({ delta: 'a "b"', response_id: 'r', type }))).toEqual({
      kind: 'piece',
      responseId: 'r',
      text: 'a "b"',
      soundBytes: 0,
    });
  });

  it.each(['response.audio.delta', 'response.output_audio.delta'])('%s is measured', (type) => {
    const delta = Buffer.alloc(3_000).toString('base64');
    expect(readServerEvent(bytes({ type, response_id: 'r', delta }))).toEqual({
      kind: 'piece',
      responseId: 'r',
      text: '',
      soundBytes: 3_000,
    });
  });

  it('have the status of a response, even where its usage is not an object', () => {
    const response = { id: 'r', status: 'cancelled', usage: null };
    expect(readServerEvent(bytes({ type: 'response.done', response }))).toEqual({
      kind: 'done',
      responseId: 'r',
      status: 'cancelled',
      usage: undefined,
    });
    expect(readServerEvent(bytes({ type: 'response.done' }))).toMatchObject({ kind: 'done', responseId: '' });
  });

  it('of unknown kinds are ignored', () => {
    for (const raw of [bytes({ type: 7 }), bytes({ type: 'rate_limits.updated' })]) {
      expect(readServerEvent(raw)).toEqual({ kind: 'other' });
      expect(readClientEvent(raw)).toEqual({ kind: 'other' });
    }
    // An upstream may send any bytes; a message of a caller must have exactly one meaning.
    for (const raw of [Buffer.from('no json'), bytes([]), Buffer.from('{"type":"a","type":"b"}')]) {
      expect(readServerEvent(raw)).toEqual({ kind: 'other' });
      expect(readClientEvent(raw)).toEqual({ kind: 'unreadable' });
    }
  });

  it("have the caller's input: texts by length, sound by size, pictures by number", () => {
    const audio = Buffer.alloc(300).toString('base64');
    const content = [
      { type: 'input_text', text: 'hello' },
      { type: 'input_audio', audio },
      { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
    ];
    const item = { type: 'message', role: 'user', content };
    expect(readClientEvent(bytes({ type: 'conversation.item.create', item }))).toEqual({
      kind: 'text',
      words: 'hello',
      soundBytes: 300,
      images: 1,
      asks: false,
    });
    const session = {
      instructions: 'be brief',
      tools: [{ name: 'f', description: 'does it', parameters: {} }],
    };
    expect(readClientEvent(bytes({ type: 'session.update', session }))).toMatchObject({
      words: 'be brief\ndoes it',
    });
    expect(readClientEvent(bytes({ type: 'input_audio_buffer.append', audio }))).toEqual({
      kind: 'sound',
      bytes: 300,
    });
    expect(readClientEvent(bytes({ type: 'input_audio_buffer.clear' }))).toEqual({ kind: 'cleared' });
    const large = bytes({ type: 'conversation.item.create', item: { text: 'x'.repeat(2_000_000) } });
    expect(readClientEvent(large)).toMatchObject({ kind: 'text', words: 'x'.repeat(2_000_000) });
  });
});

describe('sound', () => {
  it('counts as tokens by its length', () => {
    expect(soundTokens(48_000 * 60, pcm16, 'input')).toBe(1_667);
    expect(soundTokens(48_000 * 60, pcm16, 'output')).toBe(834);
    expect(soundTokens(0, pcm16, 'output')).toBe(0);
  });

  it('has its format in an older and a newer spelling', () => {
    const strange = [1e-300, 1e300, 0, -1, '8000'].map((rate) => readFormat({ type: 'audio/pcm', rate }));
    expect(strange.map((each) => each?.bytesPerSecond)).toEqual(strange.map(() => 48_000));
    const formats = [
      'pcm16',
      'g711_ulaw',
      'g711_alaw',
      { type: 'audio/pcm', rate: 24_000 },
      { type: 'audio/pcmu' },
    ];
    expect(formats.map((each) => readFormat(each)?.bytesPerSecond)).toEqual([
      48_000, 8_000, 8_000, 48_000, 8_000,
    ]);
    expect(['opus', undefined, 7].map((each) => readFormat(each))).toEqual([undefined, undefined, undefined]);
    const older = { input_audio_format: 'g711_ulaw', input_audio_transcription: { model: 'whisper-1' } };
    expect(readSession(older)).toMatchObject({
      input: { bytesPerSecond: 8_000 },
      transcriptionModel: 'whisper-1',
    });
    const newer = {
      audio: { input: { transcription: { model: 'x' } }, output: { format: { type: 'audio/pcma' } } },
    };
    expect(readSession(newer)).toMatchObject({ output: { bytesPerSecond: 8_000 }, transcriptionModel: 'x' });
    expect(readSession({}).transcriptionModel).toBeUndefined();
  });
});

it('a caller is answered with a sub-protocol that is not a secret', () => {
  const key = 'openai-insecure-api-key.sk-1';
  expect(chooseProtocol([key, 'realtime'])).toBe('realtime');
  expect(chooseProtocol([key, 'openai-beta.realtime-v1'])).toBe('openai-beta.realtime-v1');
  expect(chooseProtocol([key])).toBe('');
});
