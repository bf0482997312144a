import { usageOf } from '@tollgate/contract';
import { describe, expect, it, test } from 'vitest';
import { buildChannel, buildRequest, feed, relayOptions } from '../../../testing/protocols/build-relay.ts';
import { bridge } from '../../bridge.ts';
import type { FormFile, RelayRequest } from '../../types/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { openai } from '../../providers/openai/index.ts';
import { openaiAudio } from './index.ts';
import { soundTokens } from './minutes.ts';
import { readAudioUsage } from './wire.ts';

const sound: FormFile = {
  name: 'file',
  fileName: 'a.wav',
  type: 'audio/wav',
  sizeBytes: 400_000,
  seconds: 61,
};
const hear = (body: JsonObject = { model: 'whisper-1' }, files: FormFile[] = [sound]) =>
  openaiAudio.inbound.readFacts(body, { byteLength: 9, charLength: 9, files });
const speak = (body: JsonObject) => buildRequest('openai-audio', body).facts;
const refusal = expect.objectContaining({
  status: 400,
  blame: 'caller',
  code: 'invalid_audio_request',
}) as Error;

test.each([
  [0.2, 17],
  [60, 1_000],
  [60.1, 1_017],
  [90, 1_500],
  [3_600, 60_000],
])('%d seconds count as %d tokens', (seconds, tokens) => {
  expect(soundTokens(seconds)).toBe(tokens);
});

describe('speech that is priced by its sound', () => {
  /** Frames of MPEG 1, layer III: 128 kbit/s, 44,100 samples per second. */
  const frame = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x00]), Buffer.alloc(413)]);
  const secondsOf = (format: string, bytes: Buffer) => {
    const asked = { model: 'gpt-4o-mini-tts', input: 'x', response_format: format };
    const media = { answer: 'sound', calls: 1, factor: 1 } as const;
    const setup = {
      kind: 'bytes',
      contentType: 'audio/x',
      hideUsage: false,
      secrets: [],
      rewrite: undefined,
      media,
      asked,
    } as const;
    const pipe = openaiAudio.outbound.openPipe(setup);
    pipe.push(bytes.subarray(0, 999));
    const first = pipe.takeText().media?.soundSeconds ?? 0;
    pipe.push(bytes.subarray(999));
    return first + (pipe.takeText().media?.soundSeconds ?? 0);
  };

  it('is measured by its frames, else by its format', () => {
    const frames = Buffer.concat(Array.from({ length: 200 }, () => frame));
    expect(secondsOf('mp3', frames)).toBeCloseTo((200 * 1_152) / 44_100, 1);
    expect(secondsOf('pcm', Buffer.alloc(96_000))).toBeCloseTo(2, 6);
    expect(secondsOf('opus', Buffer.alloc(8_000))).toBeCloseTo(2, 6);
  });
});

describe('the facts of speech', () => {
  it('count characters, not UTF-16 units, for models priced by them', () => {
    const facts = speak({ model: 'tts-1', input: 'aé你😀' });
    expect(facts).toMatchObject({ stream: false, maxOutputTokens: 0, estimatedInputTokens: 4 });
    expect(facts.media).toEqual({ answer: 'sound', calls: 1, factor: 1, inputTokens: 4 });
  });

  it('leave the tokens of other models to be counted, and hold their sound where it is charged', () => {
    const body = { model: 'speech-02', input: 'hello there' };
    expect(speak(body)).toMatchObject({ stream: false, maxOutputTokens: 0 });
    expect(speak(body).media).not.toHaveProperty('inputTokens');
    const measured = speak({ ...body, model: 'gpt-4o-mini-tts' });
    expect(measured.maxOutputTokens).toBe(measured.estimatedInputTokens * 8);
    const streamed = speak({ ...body, stream_format: 'sse' });
    expect(streamed.stream).toBe(true);
    expect(streamed.maxOutputTokens).toBe(streamed.estimatedInputTokens * 8);
  });

  test.each<JsonObject>([
    { model: 'tts-1' },
    { input: 'x' },
    { model: 'tts-1', input: '' },
    { model: 'tts-1', input: ['x'] },
  ])('%j is refused', (body) => {
    expect(() => speak(body)).toThrow(refusal);
  });
});

describe('the facts of a transcription', () => {
  test.each([
    [{ response_format: 'text' }, 75],
    [{ response_format: 'srt' }, 150],
    [{}, 150],
    [{ response_format: 'verbose_json' }, undefined],
    [{ response_format: 'constructor' }, undefined],
    [{ stream: 'true' }, undefined],
  ])('have for %j how much text a second can contain', (fields, bytes) => {
    const { tokensPerByte } = hear({ model: 'whisper-1', ...fields }).media!;
    expect(tokensPerByte).toBe(bytes && 1_000 / 60 / bytes);
  });

  it('are the minutes of the file', () => {
    expect(hear().media).toMatchObject({ answer: 'text', calls: 1, factor: 1, inputTokens: 1_017 });
    expect(hear().maxOutputTokens).toBe(0);
    expect(hear({ model: 'gpt-4o-transcribe', stream: 'true' })).toMatchObject({
      stream: true,
      maxOutputTokens: 407,
    });
  });

  it('are marked where the length was estimated from the size', () => {
    const { seconds: _, ...unknown } = sound;
    expect(hear({ model: 'whisper-1' }, [unknown]).media).toMatchObject({
      inputTokens: 1_667,
      isEstimate: true,
    });
  });

  test.each<[JsonObject, FormFile[]]>([
    [{ model: 'whisper-1' }, []],
    [{ model: 'whisper-1' }, [sound, sound]],
    [{}, [sound]],
    [{ model: 'whisper-1' }, [sound, { ...sound, name: 'model' }]],
    [{ model: 'whisper-1', stream: 'maybe' }, [sound]],
  ])('%j is refused', (body, files) => {
    expect(() => hear(body, files)).toThrow(refusal);
  });
});

test('usage is tokens or a length', () => {
  const raw = {
    type: 'tokens',
    input_tokens: 100,
    input_token_details: { text_tokens: 10, audio_tokens: 90 },
    output_tokens: 20,
    total_tokens: 120,
  };
  expect(readAudioUsage(raw)).toMatchObject({ input: 10, audioInput: 90, output: 20 });
  expect(readAudioUsage({ type: 'duration', seconds: 90 })).toMatchObject({ input: 1_500, output: 0 });
  for (const seconds of [0, -1, NaN, 'x', null]) {
    expect(readAudioUsage({ type: 'duration', seconds } as JsonObject)).toBeUndefined();
  }
});

const request = (media: 'sound' | 'text'): RelayRequest => {
  const made = buildRequest('openai-audio', { model: 'm', input: 'hi' });
  return { ...made, facts: { ...made.facts, media: { answer: media, calls: 1, factor: 1 } } };
};
const open = (media: 'sound' | 'text', contentType: string) =>
  bridge(openai, buildChannel(), request(media), 'm', relayOptions).openPipe(200, contentType);
const cuts = (bytes: Buffer, size: number): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );

describe('an answer of bytes', () => {
  // Bytes that begin like an event, a page or an object are sound all the same if the content type says so.
  const bytes = Buffer.concat([
    Buffer.from('data: {<'),
    Buffer.from(Array.from({ length: 9_999 }, (_, at) => at & 255)),
  ]);

  test.each([1, 1_000, 1_024, 4_096, 10_007])('passes whole, in pieces of %i, except for its end', (size) => {
    const pipe = open('sound', 'audio/mpeg');
    const { passed, end } = feed(pipe, cuts(bytes, size));
    expect(pipe.contentType).toBe('audio/mpeg');
    expect(Buffer.concat([passed, end.tail!]).equals(bytes)).toBe(true);
    expect([end.outcome, end.tail!.length, end.usage]).toEqual(['complete', 1_024, undefined]);
  });

  it('may be shorter than what is held back', () => {
    const { passed, end } = feed(open('text', 'text/plain'), [Buffer.from('hi\n')]);
    expect([passed.length, end.tail?.toString(), end.outcome]).toEqual([0, 'hi\n', 'complete']);
  });

  it('that breaks off is not whole', () => {
    expect(feed(open('sound', 'audio/mpeg'), [bytes], true).end).toMatchObject({
      outcome: 'truncated',
      tail: undefined,
    });
  });

  test.each<['sound' | 'text', string, string]>([
    ['sound', 'audio/mpeg', ''],
    ['sound', 'text/html', '<html>'],
    ['text', 'text/html', '<html>'],
    ['sound', 'text/plain', 'an error in words'],
    ['sound', '', '<!doctype html>'],
    ['text', '', '{"error":{"message":"no","type":"t"}}'],
  ])('of %s as "%s" with %j is a failure of the channel', (media, type, text) => {
    const { end, passed } = feed(open(media, type), text === '' ? [] : [Buffer.from(text)]);
    expect([end.outcome, end.error?.blame, passed.length]).toEqual(['error', 'channel', 0]);
  });

  it('without a type is recognized by its first byte', () => {
    const { end } = feed(open('sound', ''), [Buffer.from('ID3 sound')]);
    expect([end.outcome, end.tail!.toString()]).toEqual(['complete', 'ID3 sound']);
  });
});

describe('a transcript', () => {
  test.each<[JsonObject, unknown]>([
    [{ text: 'hi', usage: { type: 'duration', seconds: 30 } }, usageOf({ input: 500 })],
    [
      { text: 'hi', usage: { type: 'tokens', input_tokens: 9, output_tokens: 2, total_tokens: 11 } },
      usageOf({ input: 9, output: 2 }),
    ],
    [{ task: 'transcribe', duration: 60, text: 'hi', segments: [] }, usageOf({ input: 1_000 })],
    [{ text: '' }, undefined],
  ])('%j passes with its usage', (body, usage) => {
    const bytes = Buffer.from(JSON.stringify(body));
    const { end } = feed(open('text', 'application/json'), [bytes]);
    expect(end.tail!.equals(bytes)).toBe(true);
    expect(end.usage).toEqual(usage);
  });

  test.each([
    ['speech.audio.done', 'speech.audio.delta'],
    ['transcript.text.done', 'transcript.text.delta'],
  ])('in a stream ends with %s, which has the usage', (last, first) => {
    const usage = { input_tokens: 7, output_tokens: 3, total_tokens: 10 };
    const begin = `data: ${JSON.stringify({ type: first, delta: last, audio: 'AAAA' })}\n\n`;
    const end = `data: ${JSON.stringify({ type: last, usage })}\n\n`;
    const read = feed(open('sound', 'text/event-stream; charset=utf-8'), cuts(Buffer.from(begin + end), 5));
    expect([read.passed.toString(), read.end.tail!.toString()]).toEqual([begin, end]);
    expect(read.end).toMatchObject({ outcome: 'complete', usage: { input: 7, output: 3 } });
    expect(feed(open('sound', 'text/event-stream'), [Buffer.from(begin)]).end.outcome).toBe('truncated');
  });

  it('in a stream with a failure ends with it', () => {
    const text = 'data: {"type":"error","error":{"message":"no","type":"t","code":"c"}}\n\n';
    expect(feed(open('text', 'text/event-stream'), [Buffer.from(text)]).end).toMatchObject({
      outcome: 'error',
      error: { message: 'no' },
    });
  });
});
