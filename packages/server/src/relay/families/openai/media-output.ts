import { imageSize } from '../../../lib/media/image-size.ts';
import type { Json } from '../../../lib/json.ts';
import { framedSeconds } from '../../../lib/media/sound-frames.ts';

/**
 * Output tokens of one image by OpenAI's table for gpt-image-1: square, portrait, landscape. Used for holds, and as the
 * charge of an image that had begun when its caller disconnected, because its usage is at the end.
 */
const table: Readonly<Record<string, readonly [square: number, portrait: number, landscape: number]>> = {
  low: [272, 408, 400],
  medium: [1_056, 1_584, 1_568],
  high: [4_160, 6_240, 6_208],
};

/** Cost of each partial image of a stream. */
export const partialImageTokens = 100;

/** Tokens of a requested image; `auto` counts as the best quality. */
export function imageOutputTokens(size: string, quality: string): number {
  const [square, portrait, landscape] =
    (Object.hasOwn(table, quality) ? table[quality] : undefined) ?? table.high!;
  const [, width = 0, height = 0] = (/^(\d{1,5})x(\d{1,5})$/.exec(size) ?? []).map(Number);
  if (width === 0 || height === 0) return Math.max(square, portrait, landscape);
  if (width === height) return square;
  return width < height ? portrait : landscape;
}

/** Characters of base64 with an image's size. */
const headLength = 64 * 1024;

/** Width and height of an image in base64; undefined if its header does not show them. */
export const sizeOfImage = (base64: string): ReturnType<typeof imageSize> =>
  imageSize(Buffer.from(base64.slice(0, headLength), 'base64'));

/** The most output tokens of an image that was made: its size is known, its quality is not. */
export function maxImageTokens(base64: string, quality = 'high'): number {
  const size = sizeOfImage(base64);
  return imageOutputTokens(size ? `${size.width}x${size.height}` : '', quality);
}

/** Input tokens of a sent image, and of one with `input_fidelity: high`. */
export const inputImageTokens = (fidelity: Json | undefined): number =>
  fidelity === 'high' ? 12_000 : 1_200;

/** Samples of two bytes, 24,000 of them a second: the only form in which OpenAI streams sound, and the usual one of all. */
const pcmBytesPerSecond = 48_000;
/** The fewest bytes of a second of compressed sound: Opus at 6 kbit/s; MP3 and AAC begin at 8. */
const minBytesPerSecond = 750;
const compressed = /^(audio\/)?(mp3|mpeg|opus|ogg|aac|mp4|m4a|flac|webm)/i;

/**
 * Length in seconds of sound in base64, or of a piece of it: exact for uncompressed samples, otherwise the maximum.
 * `format` is a media type (`audio/L16;rate=24000`) or OpenAI's name (`pcm16`).
 */
export function secondsOfSound(base64: string, format: string): number {
  const bytes = Math.ceil((base64.length * 3) / 4);
  if (!compressed.test(format)) return bytes / pcmRate(format);
  return bytes / minBytesPerSecond;
}

/** The length of a whole file; MP3 and AAC are counted frame by frame. */
export const secondsOfFile = (base64: string, format: string): number =>
  (compressed.test(format) ? framedSeconds(Buffer.from(base64, 'base64')) : undefined) ??
  secondsOfSound(base64, format);

/** Bytes of a second. A rate that no sound has is a mistake, and replaced by the usual rate. */
function pcmRate(format: string): number {
  const rate = Number(/rate=(\d{4,5})/i.exec(format)?.[1] ?? 0);
  return rate >= 8_000 && rate <= 96_000 ? rate * 2 : pcmBytesPerSecond;
}
