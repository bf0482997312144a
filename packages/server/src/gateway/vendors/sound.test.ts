import { type default as OpenAI, toFile } from 'openai';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { logs } from '../../store/index.ts';
import { refuse, resetAtOnce } from '../../testing/upstream/fake-upstream-faults.ts';
import { readForm, speech, transcript, typedEvents } from '../../testing/upstream/fake-upstream-media.ts';
import { wavFile } from '../../testing/protocols/forms.ts';
import type { GatewayHarness, TestCaller } from '../../testing/gateway-harness.ts';
import { type MediaWorld, openMediaWorld } from '../../testing/worlds/media-world.ts';

// Sound that OpenAI's own client sends and receives, through the real gateway, charged to the unit.

let world: MediaWorld;
let gate: GatewayHarness;
let caller: TestCaller;
let openai: OpenAI;
const start = 5_000_000;
const models = 'tts-1,gpt-4o-mini-tts,whisper-1,gpt-4o-transcribe,mapped-ear';

beforeAll(async () => {
  world = await openMediaWorld();
  ({ gate } = world);
  await gate.addChannel({ models, model_mapping: JSON.stringify({ 'mapped-ear': 'whisper-large' }) });
  const ratios = {
    'tts-1': 7.5,
    'gpt-4o-mini-tts': 0.3,
    'whisper-1': 15,
    'gpt-4o-transcribe': 1.25,
    'mapped-ear': 1,
    'sandbox-speech': 1,
    'sandbox-transcription': 1,
  };
  await gate.core.settings.set('ModelRatio', JSON.stringify(ratios));
});
afterAll(() => gate.close());
beforeEach(() => use(start));
afterEach(() => world.inOrder());

async function use(balance: number): Promise<void> {
  await world.begin(balance);
  ({ caller, openai } = world);
}

const row = () => world.row();
const spent = () => world.spent();

const sound = Buffer.from(Array.from({ length: 200_000 }, (_, at) => (at * 31) & 255));
const say = { model: 'tts-1', voice: 'alloy', input: 'Hello, 世界 😀' } as const;
const characters = 11;

describe('speech', () => {
  it('passes byte for byte with its type, and costs its characters', async () => {
    gate.upstream.script(speech(sound, { type: 'audio/ogg; codecs=opus' }));
    const answer = await openai.audio.speech.create(say);
    expect(Buffer.from(await answer.arrayBuffer()).equals(sound)).toBe(true);
    expect(answer.headers.get('content-type')).toBe('audio/ogg; codecs=opus');
    expect(gate.upstream.requests.at(-1)!.json()).toEqual(say);
    expect(await spent()).toBe(Math.round(characters * 7.5));
    const { prompt_tokens: prompt, completion_tokens: output, other } = await row();
    expect([prompt, output, other.usage_source, other.end_reason]).toEqual([
      characters,
      0,
      'counted',
      'complete',
    ]);
  });

  it('is held by its characters: a balance below them is refused before anything is sent', async () => {
    const before = gate.upstream.requests.length;
    await use(82);
    await expect(openai.audio.speech.create(say)).rejects.toMatchObject({
      status: 403,
      code: 'insufficient_user_quota',
    });
    expect(gate.upstream.requests.length).toBe(before);
    await use(83);
    gate.upstream.script(speech(sound));
    await (await openai.audio.speech.create(say)).arrayBuffer();
    expect(await gate.readBalance(caller)).toEqual({ balance: 0, held: 0 });
  });

  it('of a model that is priced by its sound is charged for the text and the seconds that came', async () => {
    const second = 48_000;
    gate.upstream.script(speech(sound.subarray(0, 2 * second)));
    const ask = { ...say, model: 'gpt-4o-mini-tts', response_format: 'pcm' } as const;
    await (await openai.audio.speech.create(ask)).arrayBuffer();
    const { prompt_tokens: prompt, completion_tokens: output } = await row();
    expect(prompt).toBeGreaterThan(3);
    expect(prompt).toBeLessThan(characters);
    expect(output).toBe(2 * 20);
    expect(await spent()).toBe(Math.round((prompt + output * 20) * 0.3));
  });

  it('as events is charged by what the last one reports', async () => {
    const usage = { input_tokens: 14, output_tokens: 101, total_tokens: 115 };
    const delta = { type: 'speech.audio.delta', audio: sound.toString('base64') };
    gate.upstream.script(typedEvents(delta, delta, { type: 'speech.audio.done', usage }));
    const ask = { ...say, model: 'gpt-4o-mini-tts', stream_format: 'sse' } as const;
    const answer = await openai.audio.speech.create(ask);
    const text = await answer.text();
    expect(text).toContain(delta.audio);
    expect(text.trimEnd().endsWith(JSON.stringify({ type: 'speech.audio.done', usage }))).toBe(true);
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    expect(await spent()).toBe(Math.round((14 + 101 * 20) * 0.3));
    expect(await row()).toMatchObject({ is_stream: 1, other: { usage_source: 'upstream' } });
  });

  it('that breaks off is never shown as complete, and is charged for its text', async () => {
    const heard = Promise.withResolvers<void>();
    gate.upstream.script(speech(sound, { ending: 'cut', until: heard.promise }));
    const reader = (await openai.audio.speech.create(say)).body!.getReader();
    expect((await reader.read()).done).toBe(false);
    heard.resolve();
    const toItsEnd = async () => {
      while (!(await reader.read()).done);
    };
    await expect(toItsEnd()).rejects.toThrow(/terminated/);
    expect(await spent()).toBe(Math.round(characters * 7.5));
    expect((await row()).other).toMatchObject({ end_reason: 'upstream_broken', usage_source: 'counted' });
  });

  it('whose caller leaves is cancelled upstream, and charged for its text', async () => {
    gate.upstream.script(speech(sound, { ending: 'stall' }));
    const index = gate.upstream.requests.length;
    const abort = new AbortController();
    const answer = await openai.audio.speech.create(say, { signal: abort.signal });
    const reader = answer.body!.getReader();
    expect((await reader.read()).done).toBe(false);
    abort.abort();
    const request = await gate.upstream.arrived(index);
    await request.closed;
    expect((await row()).other.end_reason).toBe('client_gone');
    expect(await spent()).toBe(Math.round(characters * 7.5));
  });

  it('that never began costs nothing, and ends in an error', async () => {
    gate.upstream.script(resetAtOnce());
    await expect(openai.audio.speech.create(say)).rejects.toMatchObject({
      status: 502,
      code: 'do_request_failed',
    });
    gate.upstream.script(transcript('<html>maintenance</html>', 'text/html'));
    await expect(openai.audio.speech.create(say)).rejects.toMatchObject({
      status: 502,
      code: 'bad_response_body',
    });
    expect(await spent()).toBe(0);
  });

  it('has tts-1 as the default model', async () => {
    gate.upstream.script(speech(sound));
    const answer = await fetch(`${gate.url}/v1beta/openai/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ input: 'hi', voice: 'alloy' }),
    });
    expect(answer.status).toBe(200);
    await answer.arrayBuffer();
    const sent = gate.upstream.requests.at(-1)!;
    expect([sent.path, sent.json()['model']]).toEqual(['/v1/audio/speech', 'tts-1']);
  });
});

const talk = wavFile(90.5);
const upload = (bytes = talk, name = 'talk.wav') => toFile(bytes, name);
/** 91 seconds at a thousand tokens per minute. */
const minutes = 1_517;

describe('a transcription', () => {
  it('arrives byte for byte, and is charged by the measured minutes', async () => {
    gate.upstream.script(transcript({ text: 'hello' }));
    const heard = await openai.audio.transcriptions.create({
      model: 'whisper-1',
      file: await upload(),
      language: 'en',
    });
    expect(heard.text).toBe('hello');
    const sent = gate.upstream.requests.at(-1)!;
    expect(sent.path).toBe('/v1/audio/transcriptions');
    const { texts, files } = await readForm(sent);
    expect(texts).toEqual({ model: 'whisper-1', language: 'en' });
    expect([files['file']!.name, files['file']!.bytes.equals(talk)]).toEqual(['talk.wav', true]);
    expect(await spent()).toBe(minutes * 15);
    const { prompt_tokens: prompt, other } = await row();
    expect([prompt, other.usage_source]).toEqual([minutes, 'counted']);
  });

  test.each([
    ['a length', { text: 'hi', usage: { type: 'duration', seconds: 60 } }, 1_000, 0],
    [
      'the length of a detailed answer',
      { task: 'transcribe', duration: 30, text: 'hi', segments: [] },
      500,
      0,
    ],
    [
      'tokens',
      {
        text: 'hi',
        usage: {
          type: 'tokens',
          input_tokens: 100,
          input_token_details: { text_tokens: 10, audio_tokens: 90 },
          output_tokens: 20,
          total_tokens: 120,
        },
      },
      100,
      20,
    ],
  ])('is charged what the vendor reports, be it %s', async (_name, body, input, output) => {
    gate.upstream.script(transcript(body));
    await openai.audio.transcriptions.create({ model: 'gpt-4o-transcribe', file: await upload() });
    const read = await row();
    expect([read.prompt_tokens, read.completion_tokens, read.other.usage_source]).toEqual([
      input,
      output,
      'upstream',
    ]);
    expect(await spent()).toBe(Math.round((input + output * 4) * 1.25));
  });

  test.each([
    ['text', 'hello\n', 'text/plain; charset=utf-8'],
    ['srt', '1\n00:00:00,000 --> 00:00:01,000\nhello\n\n', 'text/plain; charset=utf-8'],
    ['vtt', 'WEBVTT\n\n00:00.000 --> 00:01.000\nhello\n', 'text/vtt'],
  ] as const)('as %s passes as it came', async (format, text, type) => {
    gate.upstream.script(transcript(text, type));
    const ask = { model: 'whisper-1', file: await upload(), response_format: format } as const;
    expect(await openai.audio.transcriptions.create(ask)).toBe(text);
    expect(await spent()).toBe(minutes * 15);
  });

  it('streams, and is charged by what its last event reports', async () => {
    const usage = { type: 'tokens', input_tokens: 40, output_tokens: 5, total_tokens: 45 };
    gate.upstream.script(
      typedEvents(
        { type: 'transcript.text.delta', delta: 'hel' },
        { type: 'transcript.text.delta', delta: 'lo' },
        { type: 'transcript.text.done', text: 'hello', usage },
      ),
    );
    const ask = { model: 'gpt-4o-transcribe', file: await upload(), stream: true } as const;
    let text = '';
    for await (const event of await openai.audio.transcriptions.create(ask)) {
      if (event.type === 'transcript.text.delta') text += event.delta;
    }
    expect(text).toBe('hello');
    expect(await spent()).toBe(Math.round((40 + 5 * 4) * 1.25));
    expect((await row()).is_stream).toBe(1);
  });

  it('streams end in an error where the vendor fails half-way', async () => {
    const failure = { error: { message: 'no more', type: 'server_error', code: 'x' } };
    const heard = Promise.withResolvers<void>();
    const first = { type: 'transcript.text.delta', delta: 'hel' };
    gate.upstream.script(typedEvents(first, heard.promise, { type: 'error', ...failure }));
    const read = async () => {
      const ask = { model: 'gpt-4o-transcribe', file: await upload(), stream: true } as const;
      for await (const _ of await openai.audio.transcriptions.create(ask)) heard.resolve();
    };
    await expect(read()).rejects.toThrow(/no more/);
    expect((await row()).other).toMatchObject({ end_reason: 'upstream_error', usage_source: 'counted' });
  });

  it('of a sound whose length cannot be measured is estimated from its size, and the row shows it', async () => {
    gate.upstream.script(transcript('hello\n', 'text/plain'));
    const file = await upload(Buffer.alloc(240_000, 7), 'talk.bin');
    await openai.audio.transcriptions.create({ model: 'whisper-1', file, response_format: 'text' });
    const { prompt_tokens: prompt, other } = await row();
    expect([prompt, other.usage_source]).toEqual([1_000, 'estimated']);
    expect(await spent()).toBe(15_000);
  });

  it('of a file with a wrong header is charged by the text that came', async () => {
    // Ten minutes of a fast speaker, from a file whose header declares one second.
    const words = 'words '.repeat(600 * 5);
    gate.upstream.script(transcript(words, 'text/plain; charset=utf-8'));
    await openai.audio.transcriptions.create({
      model: 'whisper-1',
      file: await upload(wavFile(1), 'talk.wav'),
      response_format: 'text',
    });
    const { prompt_tokens: prompt, other } = await row();
    // 18,000 bytes; no speaker exceeds 75 per second.
    expect([prompt, other.usage_source]).toEqual([4_000, 'estimated']);
  });

  it('is held by its minutes: a balance below them is refused before anything is sent', async () => {
    const before = gate.upstream.requests.length;
    await use(minutes * 15 - 1);
    await expect(
      openai.audio.transcriptions.create({ model: 'whisper-1', file: await upload() }),
    ).rejects.toMatchObject({ status: 403 });
    expect(gate.upstream.requests.length).toBe(before);
  });

  it('has its model mapped in the form, and the form is sent again after a channel that failed', async () => {
    await gate.core.settings.set('RetryTimes', '1');
    await gate.addChannel({ models: 'mapped-ear', priority: -1 });
    gate.upstream.script(transcript({ text: 'hello' }));
    gate.upstream.next(refuse(500));
    await openai.audio.translations.create({ model: 'mapped-ear', file: await upload(), prompt: '提示' });
    const [first, second] = await Promise.all(gate.upstream.requests.slice(-2).map(readForm));
    expect([first!.texts['model'], second!.texts['model']]).toEqual(['whisper-large', 'mapped-ear']);
    for (const { texts, files } of [first!, second!]) {
      expect([texts['prompt'], files['file']!.bytes.equals(talk)]).toEqual(['提示', true]);
    }
    expect(gate.upstream.requests.at(-1)!.path).toBe('/v1/audio/translations');
    expect(await spent()).toBe(minutes);
    await gate.core.settings.set('RetryTimes', '0');
  });

  it('with an Idempotency-Key is the same call under any boundary, and charged once', async () => {
    gate.upstream.script(transcript({ text: 'hello' }));
    const ask = async (bytes: Buffer) =>
      openai.audio.transcriptions
        .create({ model: 'whisper-1', file: await upload(bytes) }, { headers: { 'idempotency-key': 'once' } })
        .withResponse();
    const before = gate.upstream.requests.length;
    expect((await ask(talk)).data.text).toBe('hello');
    const again = await ask(talk);
    expect([again.data.text, again.response.headers.get('idempotent-replayed')]).toEqual(['hello', 'true']);
    expect(gate.upstream.requests.length).toBe(before + 1);
    expect(await spent()).toBe(minutes * 15);
    await expect(ask(wavFile(3))).rejects.toMatchObject({ status: 422, code: 'idempotency_key_reused' });
  });

  it('as JSON, without a file, or cut off is refused in OpenAI’s shape', async () => {
    const post = (body: string, type: string) =>
      fetch(`${gate.url}/v1/audio/transcriptions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${caller.key}`, 'content-type': type },
        body,
      });
    const part = '--x\r\nContent-Disposition: form-data; name="model"\r\n\r\nwhisper-1\r\n';
    const cases = [
      [JSON.stringify({ model: 'whisper-1' }), 'application/json', 'invalid_form'],
      [`${part}--x--\r\n`, 'multipart/form-data; boundary=x', 'invalid_audio_request'],
      [part, 'multipart/form-data; boundary=x', 'invalid_form'],
    ] as const;
    for (const [body, type, code] of cases) {
      const answer = await post(body, type);
      const { error } = (await answer.json()) as { error: { code: string } };
      expect([answer.status, error.code]).toEqual([400, code]);
    }
  });
});

it('can be tried in the sandbox, like images, without a vendor', async () => {
  const models = 'sandbox-image,sandbox-speech,sandbox-transcription';
  await gate.addChannel({ type: 9001, key: 'sandbox', base_url: '', models });
  const { data } = await openai.images.generate({ model: 'sandbox-image', prompt: 'a cat', n: 2 });
  expect(data!.map(({ b64_json: picture }) => picture!.slice(0, 8))).toEqual(['iVBORw0K', 'iVBORw0K']);
  const spoken = await openai.audio.speech.create({ ...say, model: 'sandbox-speech' });
  const bytes = Buffer.from(await spoken.arrayBuffer());
  const file = await upload(bytes, 'spoken.wav');
  const heard = await openai.audio.transcriptions.create({ model: 'sandbox-transcription', file });
  expect(heard.text).toMatch(/^The sandbox heard spoken.wav, of \d\.\d seconds\.$/);
  await gate.core.ledger.flush();
  const { rows } = await logs.list(gate.core.store.db, { userId: caller.userId }, { offset: 0, limit: 5 });
  expect(rows.map(({ model_name: name }) => name).toSorted()).toEqual(models.split(','));
});
