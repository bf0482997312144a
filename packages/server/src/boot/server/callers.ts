import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { product } from '@tollgate/contract';

/** The caller's address, from a worker to the first process. Only workers can reach that socket. */
export const callerHeader = product.headers.caller;

/**
 * Serves requests that workers forward as if their callers had connected here. The address is trusted, so only workers
 * may reach this server.
 */
export const callerNamed =
  (listener: RequestListener): RequestListener =>
  (req: IncomingMessage, res: ServerResponse): void => {
    const value = String(req.headers[callerHeader] ?? '');
    delete req.headers[callerHeader];
    // A connection has one request at a time, so this is its caller until the request is answered.
    Object.defineProperty(req.socket, 'remoteAddress', { value, configurable: true });
    listener(req, res);
  };
