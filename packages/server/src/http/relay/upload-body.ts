import { PlainRequest } from '@tollgate/http-engine';
import { Readable, type Transform } from 'node:stream';
import { refuse } from '../../relay/types/index.ts';
import { type AuthorizedRequest, brokenOff, readBodyOf } from './read-call.ts';

/** The announced bytes of an upload; undefined if its caller does not say. Refuses an encoded one. */
export function lengthOf({ headers }: AuthorizedRequest['req']): number | undefined {
  const encoding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding !== 'identity') throw refuse('unsupported_encoding', { encoding: encoding.slice(0, 40) });
  const { 'content-length': named } = headers;
  return named === undefined ? undefined : Number(named);
}

/** Reads the caller's body into a stream, no faster than that is passed on. */
export function feed(authorized: AuthorizedRequest, form: Transform): void {
  const { req } = authorized;
  if (req instanceof PlainRequest) {
    // These are short, and come as a whole.
    readBodyOf(authorized, Number.MAX_SAFE_INTEGER).then(
      (body) => Readable.from([body]).pipe(form),
      (error: Error) => form.destroy(error),
    );
    return;
  }
  authorized.invite?.();
  const breakOff = (): void => {
    if (!req.complete) form.destroy(brokenOff());
  };
  req.on('error', breakOff).on('close', breakOff).pipe(form);
}
