import { framedSeconds } from '../../../lib/media/sound-frames.ts';

/** Samples of two bytes, 24,000 of them a second: the only form in which OpenAI streams sound, and the usual one of all. */
const pcmBytesPerSecond = 48_000;
/** Compressed sound has at least so many: Opus at 6 kbit/s; MP3 and AAC begin at 8. */
const minBytesPerSecond = 750;
const compressed = /^(audio\/)?(mp3|mpeg|opus|ogg|aac|mp4|m4a|flac|webm)/i;

/**
 * The length of sound in base64, or of a piece of it, in seconds: exact where the samples stand in it as they are, else
 * the longest that it can be. `format` is a media type (`audio/L16;rate=24000`) or a name that OpenAI gives it (`pcm16`).
 */
export function secondsOfSound(base64: string, format: string): number {
  const bytes = Math.ceil((base64.length * 3) / 4);
  if (!compressed.test(format)) return bytes / pcmRate(format);
  return bytes / minBytesPerSecond;
}

/** The length of a file that came whole; MP3 and AAC are counted frame by frame. */
export const secondsOfFile = (base64: string, format: string): number =>
  (compressed.test(format) ? framedSeconds(Buffer.from(base64, 'base64')) : undefined) ??
  secondsOfSound(base64, format);

/** Bytes of a second. A rate that no sound has is a mistake, and taken for the usual one. */
function pcmRate(format: string): number {
  const rate = Number(/rate=(\d{4,5})/i.exec(format)?.[1] ?? 0);
  return rate >= 8_000 && rate <= 96_000 ? rate * 2 : pcmBytesPerSecond;
}
