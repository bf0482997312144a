import { isObject, type JsonObject } from '../../lib/json.ts';

/** Bytes per second of a sound format. */
export interface SoundFormat {
  bytesPerSecond: number;
  /** Tokens of a second, in both directions; absent for OpenAI's. */
  tokensPerSecond?: number;
}

/** 16 bit at 24 kHz, mono: the default of the API. */
export const pcm16: SoundFormat = { bytesPerSecond: 48_000 };
/** 8 bit at 8 kHz. */
const g711: SoundFormat = { bytesPerSecond: 8_000 };

/** The format in a session: a word (`pcm16`, `g711_ulaw`) or an object (`{"type": "audio/pcm", "rate": 24000}`). */
export function readFormat(value: unknown): SoundFormat | undefined {
  const name = isObject(value) ? value.type : value;
  if (typeof name !== 'string') return undefined;
  if (/^(g711|audio\/pcm[ua])/.test(name)) return g711;
  if (!/^(pcm16$|audio\/pcm$)/.test(name)) return undefined;
  return { bytesPerSecond: rateOf(value) * 2 };
}

/** Samples per second. A rate that no sound has is a mistake or a trick, and is replaced by the default. */
function rateOf(format: unknown): number {
  const rate = isObject(format) ? format.rate : undefined;
  return typeof rate === 'number' && rate >= 8_000 && rate <= 96_000 ? rate : 24_000;
}

/** Sound settings of a session. */
export interface SessionFacts {
  input: SoundFormat | undefined;
  output: SoundFormat | undefined;
  /** The model that transcribes the caller's speech; undefined without one. */
  transcriptionModel: string | undefined;
  /** The vendor's name of the model; '' if unknown. */
  model: string;
}

const part = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** Reads the session object of `session.created` and `session.updated`, in its older and its newer form. */
export function readSession(session: JsonObject): SessionFacts {
  const audio = part(session.audio);
  const input = part(audio.input);
  const model = part(session.input_audio_transcription ?? input.transcription).model;
  return {
    input: readFormat(session.input_audio_format ?? input.format),
    output: readFormat(session.output_audio_format ?? part(audio.output).format),
    transcriptionModel: typeof model === 'string' && model !== '' ? model : undefined,
    model: typeof session.model === 'string' ? session.model : '',
  };
}

/** Bytes in `characters` characters of base64. */
export const decodedBytes = (characters: number): number => Math.floor((characters * 3) / 4);

/**
 * docs/compatibility.md#token-counting: a minute of heard sound costs 100 / 0.06 tokens, a minute of spoken sound 200 /
 * 0.24.
 */
const tokensPerSecond = { input: 100 / 0.06 / 60, output: 200 / 0.24 / 60 } as const;

/** OpenAI's tokens of spoken sound: one for each 50 ms. */
const maxSoundTokensPerSecond = 20;

/** The most tokens of spoken sound: for holds, never for bills. */
export const maxSoundTokens = (bytes: number, format: SoundFormat): number =>
  Math.ceil((bytes / format.bytesPerSecond) * (format.tokensPerSecond ?? maxSoundTokensPerSecond));

/** Tokens of sound, for bills without a vendor's usage, and for holds. */
export const soundTokens = (
  bytes: number,
  format: SoundFormat,
  direction: keyof typeof tokensPerSecond,
): number =>
  Math.ceil((bytes / format.bytesPerSecond) * (format.tokensPerSecond ?? tokensPerSecond[direction]));
