import { scrub } from '../../lib/scrub.ts';
import { RelayError } from '../model/relay-error.ts';

const leaks = (text: string, secrets: readonly string[]): boolean =>
  secrets.some((secret) => text.includes(secret));

/** An upstream's error as a caller of another language may see it: in our shape, without the vendor's own object. */
export const foreignError = (error: RelayError, secrets: readonly string[]): RelayError =>
  new RelayError({
    status: error.status,
    code: error.code,
    message: leaks(error.message, secrets) ? scrub(error.message, secrets) : error.message,
    type: error.type,
    param: error.param,
    blame: error.blame,
    ...(error.retryAfterSeconds !== undefined && { retryAfterSeconds: error.retryAfterSeconds }),
    cause: error,
  });

/** The same for a caller of the vendor's own language, who is shown the vendor's object unless it repeats a secret. */
export const ownError = (error: RelayError, secrets: readonly string[]): RelayError =>
  leaks(error.message + JSON.stringify(error.original ?? ''), secrets) ? foreignError(error, secrets) : error;
