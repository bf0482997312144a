import { toFile } from 'openai';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import {
  cutInHalf,
  minimaxSpeech,
  page,
  sound,
  volcengineSpeech,
  whisper,
  workersFailure,
} from '../../testing/upstream/fake-media-vendors.ts';
import { readForm, transcript } from '../../testing/upstream/fake-upstream-media.ts';
import { json } from '../../testing/upstream/fake-upstream-scripts.ts';
import { wavFile } from '../../testing/protocols/forms.ts';
import { type MediaWorld, openMediaWorld } from '../../testing/worlds/media-world.ts';

// Sound of vendors with their own formats, requested by OpenAI's own client, charged to the unit.

let world: MediaWorld;
const models = {
  'speech-02': 35,
  'tts-speech': 35,
  doubao: 45,
  '@cf/openai/whisper': 39,
  '@cf/openai/whisper-large-v3-turbo': 39,
  sensevoice: 40,
} as const;

beforeAll(async () => {
  world = await openMediaWorld();
  for (const [model, type] of Object.entries(models)) {
    const key = model === 'doubao' ? 'app-1|token-1' : 'sk-upstream-secret';
    await world.gate.addChannel({ type, models: model, key, other: type === 39 ? 'acc' : '' });
  }
  // At a ratio of 1, one token costs one quota unit.
  const ratios = Object.fromEntries(Object.keys(models).map((model) => [model, 1]));
  await world.gate.core.settings.set('ModelRatio', JSON.stringify(ratios));
});
afterAll(() => world.gate.close());
beforeEach(() => world.begin());
afterEach(() => world.inOrder());

const sent = () => world.gate.upstream.requests.at(-1)!;
const say = { voice: 'alloy', input: 'Hello, 世界 😀', speed: 1.2, response_format: 'wav' } as const;

describe('speech', () => {
  it('of MiniMax is decoded from its hex digits', async () => {
    world.gate.upstream.script(minimaxSpeech());
    const spoken = await world.openai.audio.speech.create({ ...say, model: 'speech-02' });
    expect(spoken.headers.get('content-type')).toBe('audio/wav');
    expect(Buffer.from(await spoken.arrayBuffer()).equals(sound)).toBe(true);
    expect([sent().path, sent().json()]).toEqual([
      '/v1/t2a_v2',
      {
        model: 'speech-02',
        text: say.input,
        stream: false,
        output_format: 'hex',
        voice_setting: { voice_id: 'alloy', speed: 1.2 },
        audio_setting: { format: 'wav' },
      },
    ]);
    const { prompt_tokens: tokens, quota, other } = await world.row();
    expect([quota, other['usage_source']]).toEqual([tokens, 'counted']);
    expect(tokens).toBeGreaterThan(0);
  });

  it('is charged by the character under a model name that says so', async () => {
    world.gate.upstream.script(minimaxSpeech());
    await world.openai.audio.speech.create({ ...say, model: 'tts-speech' });
    expect(await world.spent()).toBe(11);
  });

  it('of VolcEngine is requested with the key of an application', async () => {
    world.gate.upstream.script(volcengineSpeech());
    const spoken = await world.openai.audio.speech.create({
      ...say,
      model: 'doubao',
      response_format: 'opus',
    });
    expect(spoken.headers.get('content-type')).toBe('audio/opus');
    expect(Buffer.from(await spoken.arrayBuffer()).equals(sound)).toBe(true);
    expect([sent().path, sent().headers['authorization']]).toEqual(['/api/v1/tts', 'Bearer;token-1']);
    expect(sent().json()).toEqual({
      app: { appid: 'app-1', token: 'access_token', cluster: 'volcano_tts' },
      user: { uid: 'tollgate' },
      audio: { voice_type: 'alloy', speed_ratio: 1.2, encoding: 'ogg_opus' },
      request: { reqid: expect.stringMatching(/^[\w-]{36}$/) as string, text: say.input, operation: 'query' },
    });
  });

  test.each([
    ['speech-02', minimaxSpeech(1002, 'too many'), { status: 429 }],
    ['speech-02', minimaxSpeech(2013, 'no such voice'), { status: 400 }],
    ['speech-02', json({ data: { audio: 'xyz' }, base_resp: { status_code: 0 } }), { status: 502 }],
    ['speech-02', page, { status: 502 }],
    ['speech-02', cutInHalf, { status: 502 }],
    ['doubao', volcengineSpeech(3003, 'exceed concurrency'), { status: 429 }],
    ['doubao', volcengineSpeech(3011, 'text is wrong'), { status: 400 }],
    ['doubao', volcengineSpeech(3031, 'token-1 is not known'), { status: 502 }],
  ])('of %s that fails costs nothing, and reveals no secret', async (model, behaviour, expected) => {
    world.gate.upstream.script(behaviour);
    const call = world.openai.audio.speech.create({ ...say, model });
    await expect(call).rejects.toMatchObject({
      ...expected,
      message: expect.not.stringContaining('token-1') as string,
    });
    expect(await world.spent()).toBe(0);
  });

  test.each([
    ['events', { stream_format: 'sse' as const }],
    ['a format it does not make', { response_format: 'aac' as const }],
  ])('as %s is refused before anything is sent', async (_what, more) => {
    const before = world.gate.upstream.requests.length;
    for (const model of ['speech-02', 'doubao']) {
      const call = world.openai.audio.speech.create({ ...say, ...more, model });
      await expect(call).rejects.toMatchObject({ status: 400, code: 'cannot_translate' });
    }
    expect(world.gate.upstream.requests.length).toBe(before);
  });
});

describe('transcriptions', () => {
  const small = '@cf/openai/whisper';
  const large = '@cf/openai/whisper-large-v3-turbo';
  const talk = wavFile(60);
  const file = () => toFile(talk, 'talk.wav');

  it('by Workers AI are sent as raw bytes, and charged by the minute', async () => {
    world.gate.upstream.script(whisper);
    const heard = await world.openai.audio.transcriptions.create({ model: small, file: await file() });
    expect(heard).toEqual({ text: 'hello world' });
    expect([sent().path, sent().headers['content-type'], sent().body.equals(talk)]).toEqual([
      '/client/v4/accounts/acc/ai/run/@cf/openai/whisper',
      'application/octet-stream',
      true,
    ]);
    expect(await world.spent()).toBe(1_000);
  });

  it('by its newest model are sent as JSON, come back in detail, and are charged by the reported length', async () => {
    world.gate.upstream.script(whisper);
    const heard = await world.openai.audio.transcriptions.create({
      model: large,
      file: await file(),
      language: 'en',
      prompt: 'a greeting',
      response_format: 'verbose_json',
      timestamp_granularities: ['word'],
    });
    expect(heard).toMatchObject({
      task: 'transcribe',
      language: 'en',
      duration: 90,
      text: 'hello world',
      segments: [{ id: 0, start: 0, end: 1, text: 'hello world', no_speech_prob: 0.01 }],
      words: [{ word: 'hello' }, { word: 'world', start: 0.6, end: 1 }],
      usage: { type: 'duration', seconds: 90 },
    });
    expect(sent().json()).toEqual({
      audio: talk.toString('base64'),
      task: 'transcribe',
      language: 'en',
      initial_prompt: 'a greeting',
    });
    expect(await world.spent()).toBe(1_500);
    expect((await world.row()).other).toMatchObject({ usage_source: 'upstream' });
  });

  test.each([
    ['text', 'hello world\n', 'text/plain'],
    ['vtt', 'WEBVTT\n\n00:00.000 --> 00:01.000\nhello world\n', 'text/vtt'],
  ] as const)('as %s have the format they were requested in', async (format, text, type) => {
    world.gate.upstream.script(whisper);
    const ask = { model: small, file: await file(), response_format: format } as const;
    const { data, response } = await world.openai.audio.transcriptions.create(ask).withResponse();
    expect([data, response.headers.get('content-type')]).toEqual([text, `${type}; charset=utf-8`]);
    expect(await world.spent()).toBe(1_000);
  });

  it('are translated by the model that can', async () => {
    world.gate.upstream.script(whisper);
    await world.openai.audio.translations.create({ model: large, file: await file() });
    expect(sent().json()['task']).toBe('translate');
    const other = world.openai.audio.translations.create({ model: small, file: await file() });
    await expect(other).rejects.toMatchObject({ status: 400, code: 'cannot_translate' });
  });

  test.each(['srt', 'verbose_json'] as const)(
    'as %s are refused where the data are not there',
    async (format) => {
      const before = world.gate.upstream.requests.length;
      const call = world.openai.audio.transcriptions.create({
        model: small,
        file: await file(),
        response_format: format,
      });
      await expect(call).rejects.toMatchObject({ status: 400, code: 'cannot_translate' });
      expect(world.gate.upstream.requests.length).toBe(before);
    },
  );

  it('that fail with status 200 are failures, and free', async () => {
    world.gate.upstream.script(workersFailure);
    const call = world.openai.audio.transcriptions.create({ model: small, file: await file() });
    await expect(call).rejects.toMatchObject({
      status: 502,
      message: expect.stringContaining('bad audio') as string,
    });
    expect(await world.spent()).toBe(0);
  });

  it('by SiliconFlow pass as their form, and only as JSON', async () => {
    world.gate.upstream.script(transcript({ text: 'hello' }));
    const ask = { model: 'sensevoice', file: await file() };
    expect((await world.openai.audio.transcriptions.create(ask)).text).toBe('hello');
    expect((await readForm(sent())).files['file']!.bytes.equals(talk)).toBe(true);
    const subtitles = world.openai.audio.transcriptions.create({ ...ask, response_format: 'srt' });
    await expect(subtitles).rejects.toMatchObject({ code: 'cannot_translate' });
  });
});
