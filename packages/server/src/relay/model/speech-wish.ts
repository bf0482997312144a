import { type JsonObject, textOf } from './json.ts';
import { callOf } from './openai/calls.ts';
import type { AdaptContext } from './provider.ts';
import { refuse } from './relay-error.ts';

/** What is to be spoken, and how. */
export interface SpeechWish {
  text: string;
  voice: string;
  /** 1 is the voice's own speed; absent where the caller leaves it to the vendor. */
  speed: number | undefined;
  /** The vendor's name of the format. */
  format: string;
}

/**
 * A request of OpenAI's for speech, for vendors with words of their own. `formats` are the vendor's names of those
 * that it has. Throws RelayError (400, `cannot_translate`: another channel may do it) for transcriptions, events and
 * other formats.
 */
export function speechAsked(
  body: JsonObject,
  { path, stream }: Pick<AdaptContext, 'path' | 'stream'>,
  name: string,
  formats: Readonly<Record<string, string>>,
): SpeechWish {
  if (callOf('openai-audio', path) !== '/speech') throw no(`${name} speaks here, and writes nothing down`);
  if (stream) throw no(`${name} sends speech as sound, and not as events`);
  const asked = textOf(body.response_format) || 'mp3';
  if (!Object.hasOwn(formats, asked)) throw no(`${name} does not make ${asked.slice(0, 20)}`);
  return {
    text: textOf(body.input),
    voice: textOf(body.voice),
    speed: typeof body.speed === 'number' ? body.speed : undefined,
    format: formats[asked]!,
  };
}

const no = (message: string) => refuse(400, 'cannot_translate', message);

/** Content-Type of sound in a format of OpenAI's (`response_format`). */
export function soundType(format: string): string {
  return types[format] ?? types.mp3!;
}

const types: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
};
