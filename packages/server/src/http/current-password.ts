import type { IncomingHttpHeaders } from 'node:http';
import { AppError, currentPasswordHeader } from '@tollgate/contract';

/** Length of a header that can contain a password: 128 characters, each of up to 12 when percent-encoded. */
const maxHeaderLength = 128 * 12;

/**
 * The current password that a call sends as a confirmation; '' for none. It is in a header, because the calls that
 * need it are GET and DELETE: a query would appear in logs, and many programs send no body with them. Throws
 * `invalid_parameter` if it is not percent-encoded UTF-8.
 */
export function readCurrentPassword(headers: IncomingHttpHeaders): string {
  const given = headers[currentPasswordHeader];
  if (typeof given !== 'string') return '';
  if (given.length > maxHeaderLength) throw new AppError('wrong_password');
  try {
    return decodeURIComponent(given);
  } catch (error) {
    throw new AppError('invalid_parameter', {}, error);
  }
}
