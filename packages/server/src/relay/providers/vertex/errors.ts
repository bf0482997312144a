import { readGeminiError } from '../../families/google/index.ts';
import type { ErrorAnswer, RelayError } from '../../types/index.ts';

/**
 * Reads an error about a model of another maker: the maker's own, or Google's, which speaks for them all. Google's
 * object says nothing to callers of the maker's protocol and stays here.
 */
export function readGuestError(answer: ErrorAnswer): RelayError {
  const error = readGeminiError(answer);
  if (typeof error.original?.status !== 'string') return error;
  return error.copy({ original: undefined });
}
