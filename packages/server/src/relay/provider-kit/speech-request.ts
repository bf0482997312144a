import { entryOf, type JsonObject, textOf } from '../../lib/json.ts';
import { callOf } from './define-provider.ts';
import { type AdaptContext, refuse } from '../types/index.ts';

/** The text to speak, and the parameters. */
export interface SpeechRequest {
  text: string;
  voice: string;
  /** 1 is the voice's own speed; absent if the caller did not set it. */
  speed: number | undefined;
  /** The vendor's name of the format. */
  format: string;
}

/**
 * A speech request of OpenAI's for vendors with another API. `formats` are the vendor's names of the supported
 * formats. Throws RelayError (400, `cannot_translate`: another channel may support it) for transcriptions, events and
 * other formats.
 */
export function speechAsked(
  body: JsonObject,
  { path, stream }: Pick<AdaptContext, 'path' | 'stream'>,
  name: string,
  formats: Readonly<Record<string, string>>,
): SpeechRequest {
  if (callOf('openai-audio', path) !== '/speech') throw refuse('speech_alone', { provider: name });
  if (stream) throw refuse('speech_not_streamed', { provider: name });
  const asked = textOf(body.response_format) || 'mp3';
  if (!Object.hasOwn(formats, asked))
    throw refuse('sound_format_not_supported', { provider: name, format: asked.slice(0, 20) });
  return {
    text: textOf(body.input),
    voice: textOf(body.voice),
    speed: typeof body.speed === 'number' ? body.speed : undefined,
    format: formats[asked]!,
  };
}

/** Content-Type of a sound format of OpenAI's (`response_format`). */
export function soundType(format: string): string {
  return entryOf(types, format) ?? types.mp3!;
}

const types: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
};
