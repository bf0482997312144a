import { scrub } from '../../lib/scrub.ts';
import type { RelayError } from '../types/index.ts';

const leaks = (text: string, secrets: readonly string[]): boolean =>
  secrets.some((secret) => text.includes(secret));

/** An upstream's error for a caller of another protocol: in Tollgate's form, without the vendor's own object. */
export const foreignError = (error: RelayError, secrets: readonly string[]): RelayError =>
  error.copy({
    message: clean(error.message, secrets),
    words: error.words && { zh: clean(error.words.zh, secrets), en: clean(error.words.en, secrets) },
    original: undefined,
  });

const clean = (text: string, secrets: readonly string[]): string =>
  leaks(text, secrets) ? scrub(text, secrets) : text;

/** The same for a caller of the vendor's own protocol, who receives the vendor's object unless it contains a secret. */
export const ownError = (error: RelayError, secrets: readonly string[]): RelayError =>
  leaks(error.message + JSON.stringify(error.original ?? ''), secrets) ? foreignError(error, secrets) : error;
