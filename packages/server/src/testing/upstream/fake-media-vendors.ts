import type { FakeExchange } from './fake-upstream-exchange.ts';
import { type Behaviour, json } from './fake-upstream-scripts.ts';
import { body } from './fake-upstream-faults.ts';

// Vendors of images and sound with their own wire formats, as documented.

const imageUrl = (name: string): string => `https://images.test/${name}.png?sign=a%2Bb`;

/** State of a DashScope task at each query: its reported status, or an answer of another kind. */
type TaskStep = 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | Behaviour;

/** Script of DashScope's tasks. */
export interface DashscopeScript {
  /** One step for each query; the last one applies to all later queries. */
  steps: readonly TaskStep[];
  /** The results of a successful task; by default one image for each requested one. */
  results?: readonly object[];
  /** The error of a failed task. */
  failure?: { code: string; message: string };
}

const path = (exchange: FakeExchange): string => exchange.path.split('?')[0] ?? '';

/** DashScope: image tasks are submitted and queried; reranking answers at once. */
export function dashscope(script: DashscopeScript): Behaviour {
  let asked = 0;
  let images = 1;
  const report = (step: Exclude<TaskStep, Behaviour>): Behaviour => {
    const task = { task_id: 'task-1', task_status: step, submit_time: '2026-11-21 08:00:00.000' };
    if (step === 'FAILED') return json({ request_id: 'r-1', output: { ...task, ...script.failure } });
    if (step !== 'SUCCEEDED') return json({ request_id: 'r-1', output: task });
    const made = Array.from({ length: images }, (_, at) => ({
      orig_prompt: 'a cat',
      actual_prompt: 'a cat on a roof',
      url: imageUrl(`cat-${at}`),
    }));
    const results = script.results ?? made;
    return json({ request_id: 'r-1', output: { ...task, results }, usage: { image_count: results.length } });
  };
  return (exchange) => {
    if (path(exchange).endsWith('/image-synthesis')) {
      const { parameters } = exchange.json() as { parameters: { n: number } };
      images = parameters.n;
      return json({ request_id: 'r-0', output: { task_id: 'task-1', task_status: 'PENDING' } })(exchange);
    }
    if (path(exchange).endsWith('/cancel')) return json({ request_id: 'r-2' })(exchange);
    const step = script.steps[Math.min(asked, script.steps.length - 1)]!;
    asked += 1;
    return (typeof step === 'function' ? step : report(step))(exchange);
  };
}

/** A refusal of DashScope's. */
export const dashscopeRefusal = (status: number, code: string, message: string): Behaviour =>
  json({ code, message, request_id: 'r-1' }, status);

/** Image addresses under `data` (Zhipu, Qianfan) or `images` (SiliconFlow); as many as requested. */
export const addresses =
  (list: 'data' | 'images' = 'data'): Behaviour =>
  (exchange) => {
    const { n, batch_size: size } = exchange.json();
    const images = Array.from({ length: Number(n ?? size ?? 1) }, (_, at) => ({
      url: imageUrl(`cat-${at}`),
    }));
    const more = list === 'images' ? { timings: { inference: 1.5 }, seed: 7 } : { created: 1_780_000_000 };
    return json({ ...more, [list]: images })(exchange);
  };

/** Seedream: usage in its own tokens in addition to the images. */
export const seedream: Behaviour = (exchange) => {
  const { response_format: format, model } = exchange.json();
  const image = format === 'b64_json' ? { b64_json: 'QUJD' } : { url: imageUrl('cat-0') };
  const usage = { generated_images: 1, output_tokens: 4_096, total_tokens: 4_096 };
  return json({ model, created: 1_780_000_000, data: [{ ...image, size: '1024x1024' }], usage })(exchange);
};

/** Placeholder bytes for sound; every byte value is among them. */
export const sound = Buffer.from(Array.from({ length: 5_000 }, (_, at) => at % 251));

/** MiniMax's speech: hex digits in JSON, failures with status 200. */
export const minimaxSpeech = (code = 0, message = 'success'): Behaviour =>
  json({
    data: code === 0 ? { audio: sound.toString('hex'), status: 2 } : null,
    extra_info: { audio_length: 900, audio_size: sound.length, usage_characters: 26, audio_format: 'mp3' },
    trace_id: 't-1',
    base_resp: { status_code: code, status_msg: message },
  });

/** VolcEngine's speech: base64 in JSON, with its own codes. */
export const volcengineSpeech = (code = 3000, message = 'Success'): Behaviour =>
  json({
    reqid: 'x',
    code,
    operation: 'query',
    message,
    ...(code === 3000 && { sequence: -1, data: sound.toString('base64'), addition: { duration: '900' } }),
  });

/** Whisper at Workers AI; the newest one reports segments and the length. */
export const whisper: Behaviour = (exchange) => {
  const words = [
    { word: 'hello', start: 0, end: 0.5 },
    { word: 'world', start: 0.6, end: 1 },
  ];
  const heard = {
    text: 'hello world',
    word_count: 2,
    vtt: 'WEBVTT\n\n00:00.000 --> 00:01.000\nhello world\n',
  };
  const segment = { start: 0, end: 1, text: 'hello world', temperature: 0, avg_logprob: -0.2 };
  const detailed = {
    ...heard,
    transcription_info: { language: 'en', language_probability: 0.99, duration: 90, duration_after_vad: 80 },
    segments: [{ ...segment, compression_ratio: 1.1, no_speech_prob: 0.01, words }],
  };
  const result = exchange.path.includes('whisper-large-v3') ? detailed : { ...heard, words };
  return json({ result, success: true, errors: [], messages: [] })(exchange);
};

/** A failure of Workers AI, with status 200. */
export const workersFailure: Behaviour = json({
  result: null,
  success: false,
  errors: [{ code: 3030, message: 'bad audio' }],
  messages: [],
});

/** A web page where JSON was expected. */
export const page: Behaviour = body('<html>busy</html>', 'text/html');

/** Truncated JSON. */
export const cutInHalf: Behaviour = async (exchange) => {
  exchange.head(200, { 'content-type': 'application/json' });
  await exchange.write('{"data": {"audio": "0011');
  await exchange.turn();
  exchange.cut();
};
