import type { FormFile, BodySizes, MediaFacts, RequestFacts } from '../../types/index.ts';
import { typedFields } from '../../../lib/form.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { refuser, requiredText, streamOptionsOf, estimateInput } from '../../families/openai/index.ts';
import { estimatedSeconds, soundTokens, tokensPerByte } from './minutes.ts';

const no = refuser('invalid_audio_request');

/**
 * Form fields that Tollgate reads. A file under one of these names is refused, because other parsers would read it as
 * the field.
 */
const texts = new Set(['model', 'stream', 'response_format']);
/** Models with a price by the characters of the spoken text (docs/compatibility.md#charge). */
const pricedByCharacter = /^tts/;
/** Models of OpenAI that are charged by the tokens of the sound that they make. */
export const isPricedBySound = (model: string): boolean => /^gpt-.*-tts/.test(model);
/** Maximum of sound tokens per token of text, for holds. */
const spokenPerToken = 8;
/** Output tokens of a minute of transcribed speech, and of its speakers and times. */
const writtenPerMinute = 400;
/** Models that are charged by tokens, including output. */
const writesTokens = /transcribe/;

/** The facts of a call for sound: speech as JSON; transcriptions and translations as a form. */
export const readFacts = (body: JsonObject, sizes: BodySizes): RequestFacts =>
  sizes.files ? readTranscription(body, sizes, sizes.files) : readSpeech(body, sizes);

function readSpeech(body: JsonObject, sizes: BodySizes): RequestFacts {
  const model = requiredText(body, 'model', no);
  const input = requiredText(body, 'input', no);
  const stream = body.stream_format === 'sse';
  const media: MediaFacts = { answer: 'sound', calls: 1, factor: 1 };
  if (pricedByCharacter.test(model)) media.inputTokens = charactersIn(input);
  const inputTokens = media.inputTokens ?? estimateInput(sizes);
  return {
    model,
    stream,
    wantsStreamUsage: false,
    // Streams report the cost of sound. If a model is charged by sound, bytes are measured.
    maxOutputTokens:
      media.inputTokens === undefined && (stream || isPricedBySound(model))
        ? inputTokens * spokenPerToken
        : 0,
    estimatedInputTokens: inputTokens,
    choices: 1,
    media,
  };
}

/** Unicode characters: one character may be two units of a text in memory. */
function charactersIn(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function readTranscription(given: JsonObject, sizes: BodySizes, files: readonly FormFile[]): RequestFacts {
  const body = typedFields(given, { numbers: [], flags: ['stream'] });
  const model = requiredText(body, 'model', no);
  const misplacedFields = files.find(({ name }) => texts.has(name));
  if (misplacedFields) return no('field_is_file', { field: misplacedFields.name });
  const sounds = files.filter(({ name }) => name === 'file');
  const [sound] = sounds;
  if (!sound || sounds.length > 1) return no('one_field_required', { field: 'file' });
  const seconds = sound.seconds ?? estimatedSeconds(sound.sizeBytes);
  const inputTokens = soundTokens(seconds);
  const streaming = streamOptionsOf(body, no);
  // The vendor determines the length of events.
  const perByte = streaming.stream ? undefined : tokensPerByte(body.response_format ?? 'json');
  return {
    model,
    ...streaming,
    maxOutputTokens: writesTokens.test(model) ? Math.ceil((seconds / 60) * writtenPerMinute) : 0,
    estimatedInputTokens: inputTokens + estimateInput(sizes),
    choices: 1,
    media: {
      answer: 'text',
      calls: 1,
      factor: 1,
      inputTokens,
      ...(sound.seconds === undefined && { isEstimate: true }),
      ...(perByte !== undefined && { tokensPerByte: perByte }),
    },
  };
}
