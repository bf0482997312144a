import { type JsonObject, textOf } from '../../../lib/json.ts';
import type { DeliveredMedia } from '../../types/index.ts';
import { secondsOfSound, sizeOfImage } from '../openai/index.ts';

/**
 * Output tokens of an image by Google's tables, the largest number of its models: 1,290 up to about 1024 by 1024 (1,120
 * in newer models), 1,680 for double the width and height (1,120), 2,520 for four times the width and height (2,000).
 * Sizes in pixels, with room for oblong formats.
 */
const table = [
  { pixels: 2_000_000, tokens: 1_290 },
  { pixels: 8_000_000, tokens: 1_680 },
] as const;
const maxTokens = 2_520;

/** The most output tokens of an image that one of Google's models made. */
export function googleImageTokens(base64: string): number {
  const size = sizeOfImage(base64);
  const pixels = size ? size.width * size.height : Infinity;
  return table.find((row) => pixels <= row.pixels)?.tokens ?? maxTokens;
}

/** Output tokens of the image that a request may get within its text, by the requested size (`1K` without one). */
export function askedImageTokens(size: string): number {
  if (size.toUpperCase() === '4K') return maxTokens;
  return table[size.toUpperCase() === '2K' ? 1 : 0].tokens;
}

/** Tokens of the bytes of a part (`inlineData`). */
export function googleMedia(mediaType: string, base64: string): Partial<DeliveredMedia> {
  if (mediaType.startsWith('audio')) return { soundSeconds: secondsOfSound(base64, mediaType) };
  return { imageTokens: googleImageTokens(base64) };
}

/** Bytes in every event with such a part, in every spelling. */
export const googleMediaMarks: readonly Buffer[] = ['nlineData"', 'nline_data"'].map((mark) =>
  Buffer.from(mark),
);

/** The bytes and type of a part, if it has any. */
export function inlineData(part: JsonObject): { mediaType: string; base64: string } | undefined {
  const data = part.inlineData ?? part.inline_data;
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return undefined;
  const base64 = textOf(data.data);
  return base64 === '' ? undefined : { mediaType: textOf(data.mimeType ?? data.mime_type), base64 };
}
