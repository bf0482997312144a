import { counter, isPlausible, type Usage, usageOf } from '@tollgate/contract';
import { isObject, type JsonObject } from '../../lib/json.ts';

const part = (value: unknown): JsonObject => (isObject(value) ? value : {});

/**
 * Reads the usage of a `response.done` event into disjoint counters; undefined when it reports nothing. `input_tokens`
 * includes text, audio and images. `cached_tokens` is a part of all three; `cached_tokens_details` has its parts, and
 * without it the cached part is text, up to the number of text tokens. Cached sound has the price of cached text, so
 * all cached tokens are one counter. Details that exceed their total are reduced to fit.
 */
export function readRealtimeUsage(raw: JsonObject): Usage | undefined {
  const input = counter(raw.input_tokens);
  const output = counter(raw.output_tokens);
  if (input + output === 0) return undefined;
  const inside = part(raw.input_token_details);
  const audio = Math.min(counter(inside.audio_tokens), input);
  const image = Math.min(counter(inside.image_tokens), input - audio);
  const text = input - audio - image;
  const cached = readCached(inside, { text, audio, image });
  const audioOutput = Math.min(counter(part(raw.output_token_details).audio_tokens), output);
  return usageOf({
    cacheRead: cached.text + cached.audio + cached.image,
    input: text - cached.text,
    audioInput: audio - cached.audio,
    imageInput: image - cached.image,
    output: output - audioOutput,
    audioOutput,
  });
}

/** Input tokens by kind. */
interface Classes {
  text: number;
  audio: number;
  image: number;
}

function readCached(inside: JsonObject, all: Classes): Classes {
  let left = Math.min(counter(inside.cached_tokens), all.text + all.audio + all.image);
  const take = (wanted: number): number => {
    const taken = Math.min(wanted, left);
    left -= taken;
    return taken;
  };
  const reported = isObject(inside.cached_tokens_details) ? inside.cached_tokens_details : undefined;
  const audio = reported ? take(Math.min(counter(reported.audio_tokens), all.audio)) : 0;
  const image = reported ? take(Math.min(counter(reported.image_tokens), all.image)) : 0;
  const text = take(all.text);
  const moreAudio = take(all.audio - audio);
  return { text, audio: audio + moreAudio, image: image + take(all.image - image) };
}

/** Tokens of a minute of sound with a reported length (docs/compatibility.md#charge: transcription). */
const tokensPerMinute = 1_000;

/**
 * Reads the usage of a finished transcription of the caller's speech. The vendor bills it separately from the
 * responses, at the price of the transcribing model: by tokens, or by whole seconds.
 */
export function readTranscriptionUsage(raw: JsonObject): Usage | undefined {
  if (raw.type !== 'duration') return readRealtimeUsage(raw);
  const seconds = typeof raw.seconds === 'number' ? counter(Math.ceil(raw.seconds)) : 0;
  const tokens = Math.round((seconds / 60) * tokensPerMinute);
  return tokens === 0 ? undefined : usageOf({ input: tokens });
}

/** The usage, or undefined if its figures are impossible: then we count it ourselves. */
export const plausible = (usage: Usage | undefined): Usage | undefined =>
  usage && isPlausible(usage) ? usage : undefined;
