import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { product } from '@tollgate/contract';

/** The address of the caller, on the way from a worker to the first process. Nobody else can reach that socket. */
export const callerHeader = product.headers.caller;

/**
 * Serves requests that workers hand on as if their callers had connected here. Only for a server that nobody but workers
 * can reach: the address is trusted.
 */
export const callerNamed =
  (listener: RequestListener): RequestListener =>
  (req: IncomingMessage, res: ServerResponse): void => {
    const value = String(req.headers[callerHeader] ?? '');
    delete req.headers[callerHeader];
    // A connection carries one request at a time, so this is its caller until it is answered.
    Object.defineProperty(req.socket, 'remoteAddress', { value, configurable: true });
    listener(req, res);
  };
