import { readGeminiError } from '../../families/google/index.ts';
import type { ErrorAnswer, RelayError } from '../../types/index.ts';

/**
 * Reads an error about another maker's model: the maker's own, or Google's, which is the same for all makers. Google's
 * object has no meaning for callers of the maker's protocol and is not passed on.
 */
export function readGuestError(answer: ErrorAnswer): RelayError {
  const error = readGeminiError(answer);
  if (typeof error.original?.status !== 'string') return error;
  return error.copy({ original: undefined });
}
