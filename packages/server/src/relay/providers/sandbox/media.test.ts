import { describe, expect, test } from 'vitest';
import { imageSize } from '../../../lib/media/image-size.ts';
import { soundSeconds } from '../../../lib/media/sound-length.ts';
import { feed } from '../../../testing/protocols/build-relay.ts';
import type { FormFile, LocalAnswer } from '../../types/index.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { openaiAudio } from '../../protocols/openai-audio/index.ts';
import { openaiImages } from '../../protocols/openai-images/index.ts';
import { answerSandbox } from './index.ts';

const bytesOf = ({ chunks }: LocalAnswer): Buffer => Buffer.concat(chunks.map(({ bytes }) => bytes));
const jsonOf = (answer: LocalAnswer): JsonObject => JSON.parse(bytesOf(answer).toString()) as JsonObject;
const sound: FormFile = { name: 'file', fileName: 'talk.wav', type: 'audio/wav', sizeBytes: 9, seconds: 1.5 };

const paint = (body: JsonObject) =>
  answerSandbox({
    protocol: 'openai-images',
    path: '/v1/images/generations',
    body: { model: 'sandbox-image', prompt: 'a cat', ...body },
    files: [],
  });
const speak = (body: JsonObject = {}) =>
  answerSandbox({
    protocol: 'openai-audio',
    path: '/v1/audio/speech',
    body: { model: 'sandbox-speech', input: 'hello there world', ...body },
    files: [],
  });
const hear = (body: JsonObject = {}, files = [sound]) =>
  answerSandbox({
    protocol: 'openai-audio',
    path: '/v1/audio/transcriptions',
    body: { model: 'sandbox-transcription', ...body },
    files,
  });

describe('images of the sandbox', () => {
  test('are real pictures of the size that the answer names, whatever size is requested', () => {
    const answer = jsonOf(paint({ n: 2, size: '640x320' }));
    const { data, size, usage } = answer as { data: { b64_json: string }[]; size: string; usage: JsonObject };
    const { width, height } = imageSize(Buffer.from(data[0]!.b64_json, 'base64'))!;
    expect([data.length, size]).toEqual([2, `${width}x${height}`]);
    expect(usage).toMatchObject({ input_tokens: 2, output_tokens: 200, total_tokens: 202 });
  });

  test('have an address where one is requested', () => {
    const { data } = jsonOf(paint({ response_format: 'url' })) as { data: { url: string }[] };
    expect(data[0]!.url).toMatch(/^data:image\/png;base64,/);
  });

  test('come in parts, read by the protocol like any other', () => {
    const pipe = openaiImages.outbound.openPipe({
      kind: 'stream',
      contentType: 'text/event-stream',
      hideUsage: false,
      secrets: [],
      rewrite: undefined,
      media: { answer: 'images', calls: 2, factor: 1 },
    });
    const { end } = feed(pipe, [bytesOf(paint({ n: 2, stream: true }))]);
    expect(end).toMatchObject({ outcome: 'complete', images: 2, usage: { input: 2, imageOutput: 200 } });
  });
});

describe('speech of the sandbox', () => {
  test('is a sound with its length', async () => {
    const answer = speak();
    expect(answer.headers['content-type']).toBe('audio/wav');
    expect(await soundSeconds(bytesOf(answer))).toBeCloseTo(0.6, 2);
  });

  test('is the same as events, read by the protocol like any other', async () => {
    const bytes = bytesOf(speak({ stream_format: 'sse' }));
    const parts = [...bytes.toString().matchAll(/"audio":"([^"]+)"/g)].map(([, part]) =>
      Buffer.from(part!, 'base64'),
    );
    expect(await soundSeconds(Buffer.concat(parts))).toBeCloseTo(0.6, 2);
    const pipe = openaiAudio.outbound.openPipe({
      kind: 'stream',
      contentType: 'text/event-stream',
      hideUsage: false,
      secrets: [],
      rewrite: undefined,
    });
    expect(feed(pipe, [bytes]).end).toMatchObject({
      outcome: 'complete',
      usage: { input: 3, output: parts.length },
    });
  });
});

describe('transcriptions of the sandbox', () => {
  const words = 'The sandbox heard talk.wav, of 1.5 seconds.';

  test.each<[Json, string]>([
    ['text', `${words}\n`],
    ['srt', `1\n00:00:00,000 --> 00:00:01,500\n${words}\n\n`],
    ['vtt', `WEBVTT\n\n00:00:00.000 --> 00:00:01.500\n${words}\n\n`],
  ])('are in %s', (format, text) => {
    const answer = hear({ response_format: format });
    expect([bytesOf(answer).toString(), answer.headers['content-type']]).toEqual([
      text,
      'text/plain; charset=utf-8',
    ]);
  });

  test('are in JSON, short and in detail', () => {
    const usage = { type: 'duration', seconds: 2 };
    expect(jsonOf(hear())).toEqual({ text: words, usage });
    expect(jsonOf(hear({ response_format: 'verbose_json' }))).toMatchObject({
      duration: 1.5,
      text: words,
      usage,
    });
    const { seconds: _, ...unknown } = sound;
    expect(jsonOf(hear({}, [unknown]))).toEqual({
      text: 'The sandbox heard talk.wav, of a length it cannot tell.',
    });
  });

  test('are in events', () => {
    const text = bytesOf(hear({ stream: 'true' })).toString();
    expect(text).toContain('event: transcript.text.delta\n');
    expect(text.trimEnd().split('\n').at(-1)).toContain('"type":"transcript.text.done"');
  });
});
