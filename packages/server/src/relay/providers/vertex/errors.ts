import { readGeminiError } from '../../model/gemini/error.ts';
import type { ErrorAnswer } from '../../model/protocol.ts';
import { RelayError } from '../../model/relay-error.ts';

/**
 * Reads an error about a model of another maker: the maker's own, or Google's, which speaks for them all. Google's
 * object says nothing to callers of the maker's language and stays here.
 */
export function readGuestError(answer: ErrorAnswer): RelayError {
  const error = readGeminiError(answer);
  if (typeof error.original?.status !== 'string') return error;
  return new RelayError({
    status: error.status,
    code: error.code,
    message: error.message,
    blame: error.blame,
    ...(error.retryAfterSeconds !== undefined && { retryAfterSeconds: error.retryAfterSeconds }),
    type: error.type,
    cause: error,
  });
}
