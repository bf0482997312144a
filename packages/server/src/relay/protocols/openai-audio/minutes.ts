import type { Json } from '../../../lib/json.ts';

/** Tokens that a minute of sound counts as (docs/compatibility.md#charge). */
const tokensPerMinute = 1_000;
/** Longer than any upload: a larger length from a vendor or a file is not plausible. */
const maxSeconds = 7 * 24 * 3_600;

/** Sound as tokens: whole seconds, rounded up, a thousand tokens per minute. */
export const soundTokens = (seconds: number): number =>
  Math.round((Math.ceil(Math.min(seconds, maxSeconds)) / 60) * tokensPerMinute);

/**
 * Maximum of spoken text per second, in bytes: the fastest speakers of the languages with the longest UTF-8. With
 * timestamps, or as JSON, it is twice as long.
 */
const writtenPerSecond: Readonly<Record<string, number>> = { text: 75, json: 150, srt: 150, vtt: 150 };

/** The fewest tokens of sound for a byte of its transcript; undefined for formats with more content. */
export function tokensPerByte(format: Json): number | undefined {
  const fastest =
    typeof format === 'string' && Object.hasOwn(writtenPerSecond, format)
      ? writtenPerSecond[format]
      : undefined;
  return fastest && tokensPerMinute / 60 / fastest;
}

/** Bytes per second of a recording of unknown length: speech at 32 kbit/s. */
const estimatedBytesPerSecond = 4_000;

/** Estimated length of a file without a readable length. */
export const estimatedSeconds = (sizeBytes: number): number => sizeBytes / estimatedBytesPerSecond;
