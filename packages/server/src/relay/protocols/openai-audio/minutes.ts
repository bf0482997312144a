/** Tokens that a minute of sound counts as (wire-facts 6.3). */
const tokensPerMinute = 1_000;
/** Longer than any upload: a vendor's or a file's claim beyond it is not believed. */
const maxSeconds = 7 * 24 * 3_600;

/** Sound as tokens: whole seconds, rounded up, a thousand tokens the minute. */
export const soundTokens = (seconds: number): number =>
  Math.round((Math.ceil(Math.min(seconds, maxSeconds)) / 60) * tokensPerMinute);

/** Bytes that a second of a recording is taken for whose length nobody can tell: speech at 32 kbit/s. */
const guessedBytesPerSecond = 4_000;

/** The length of a file whose bytes do not tell it. */
export const guessedSeconds = (sizeBytes: number): number => sizeBytes / guessedBytesPerSecond;
