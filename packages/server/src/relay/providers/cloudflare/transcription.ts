import { type Json, type JsonObject, objectOf, objectsIn, textOf } from '../../../lib/json.ts';
import { callOf } from '../../provider-kit/index.ts';
import { failureIn } from '../../families/openai/index.ts';
import {
  type AdaptContext,
  type ConversionRequest,
  type Converted,
  type DraftBody,
  type WrittenBody,
  refuse,
} from '../../types/index.ts';
import { readAudioUsage } from '../../protocols/openai-audio/index.ts';

/** The newest Whisper accepts JSON and returns segments, language and length; all others accept bare bytes. */
const isDetailed = (model: string): boolean => model.includes('whisper-large-v3');

/** Supported calls of each model, by OpenAI's names. */
const formatsOf = (model: string): readonly string[] =>
  isDetailed(model) ? ['json', 'text', 'vtt', 'verbose_json'] : ['json', 'text', 'vtt'];

/** Refuses calls that Workers AI does not support, so that another channel is tried. */
export function adaptTranscription(body: JsonObject, { path, stream, model }: AdaptContext): undefined {
  const call = callOf('openai-audio', path);
  if (call === '/speech') throw refuse('transcription_alone', { provider });
  if (stream) throw refuse('transcription_not_streamed', { provider });
  if (call === '/translations' && !isDetailed(model)) throw refuse('model_translates_nothing', { provider });
  const format = formatOf(body);
  if (!formatsOf(model).includes(format))
    throw refuse('model_format_not_supported', { provider, format: format.slice(0, 20) });
  // Marks the call in the sent data: the address is the same for both.
  body.task = taskOf(path);
}

const formatOf = (body: JsonObject): string => textOf(body.response_format) || 'json';

const provider = 'Workers AI';

/** The sound in the model's form; the language and expected words are for models that read them. */
export function writeTranscription({ raw, form, body, model }: DraftBody): WrittenBody | undefined {
  const part = form?.scan.parts.find(({ name, isFile }) => isFile && name === 'file');
  if (!part) return undefined;
  const sound = raw.subarray(part.valueStart, part.valueEnd);
  if (!isDetailed(model)) return { contentType: 'application/octet-stream', bytes: sound };
  const { task, language, prompt } = body;
  const detailed = {
    audio: sound.toString('base64'),
    task,
    ...(textOf(language) !== '' && { language }),
    ...(textOf(prompt) !== '' && { initial_prompt: prompt }),
  };
  return { contentType: 'application/json', bytes: Buffer.from(JSON.stringify(detailed)) };
}

/** The transcript in the requested format. Throws RelayError for a failure in the answer. */
export function readTranscription(
  answer: JsonObject,
  { request, path, secrets }: ConversionRequest,
): Converted {
  const failure = failureIn(answer, secrets);
  if (failure) throw failure;
  const result = objectOf(answer.result);
  if (typeof result.text !== 'string') throw refuse('answer_unknown_object');
  const length: JsonObject = { type: 'duration', seconds: objectOf(result.transcription_info).duration };
  const usage = readAudioUsage(length);
  const format = formatOf(request);
  if (format === 'vtt') return { ...subtitles(result), usage };
  if (format === 'text') return { contentType: plain, body: Buffer.from(`${result.text}\n`), usage };
  const written = format === 'json' ? { text: result.text } : detailed(result, request, taskOf(path));
  const body = Buffer.from(JSON.stringify({ ...written, ...(usage && { usage: length }) }));
  return { contentType: 'application/json', body, usage };
}

const taskOf = (path: string): string =>
  callOf('openai-audio', path) === '/translations' ? 'translate' : 'transcribe';

const plain = 'text/plain; charset=utf-8';

function subtitles({ vtt }: JsonObject): Omit<Converted, 'usage'> {
  if (typeof vtt !== 'string') throw refuse('answer_without_subtitles');
  return { contentType: 'text/vtt; charset=utf-8', body: Buffer.from(vtt) };
}

/** OpenAI's detailed transcript. */
function detailed(result: JsonObject, request: JsonObject, task: string): JsonObject {
  const { text, transcription_info: info, segments, words } = result;
  const { language, duration } = objectOf(info);
  const parts = objectsIn(segments);
  const spoken =
    objectsIn(words).length > 0 ? objectsIn(words) : parts.flatMap((part) => objectsIn(part.words));
  return {
    task,
    language: textOf(language),
    duration: number(duration),
    text,
    segments: parts.map(segmentOf),
    ...(wantsWordTimes(request) && { words: spoken.map(({ word, start, end }) => ({ word, start, end })) }),
  };
}

function segmentOf(part: JsonObject, id: number): JsonObject {
  const { start, end, text, temperature, avg_logprob, compression_ratio, no_speech_prob } = part;
  return {
    id,
    seek: 0,
    start: number(start),
    end: number(end),
    text: textOf(text),
    tokens: [],
    temperature: number(temperature),
    avg_logprob: number(avg_logprob),
    compression_ratio: number(compression_ratio),
    no_speech_prob: number(no_speech_prob),
  };
}

const number = (value: Json | undefined): number => (typeof value === 'number' ? value : 0);

/** `timestamp_granularities[]`: a list in a form, in any of its spellings. */
const wantsWordTimes = (request: JsonObject): boolean =>
  Object.entries(request).some(
    ([name, value]) =>
      /^timestamp_granularities(\[\d*\])?$/.test(name) &&
      (Array.isArray(value) ? value : [value]).includes('word'),
  );
