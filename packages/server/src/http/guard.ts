import type { IncomingMessage } from 'node:http';
import type { Access } from '@tollgate/contract';
import type { Identity } from '../services/people/auth/index.ts';
import { admit, type Identifier } from './access.ts';
import type { ClientReader } from './client.ts';
import { isSameOrigin } from './same-origin.ts';
import { readSessionCookie } from './session-cookie.ts';

export interface GuardDeps {
  auth: Identifier;
  clients: ClientReader;
  /** The configured address of the site; '' when none is set. */
  serverAddress(): string;
}

/** True unless the browser says that another site caused the request. */
export const isFromOwnSite = (
  { clients, serverAddress }: Omit<GuardDeps, 'auth'>,
  req: IncomingMessage,
): boolean => isSameOrigin(req.headers, clients.origin(req), serverAddress());

/**
 * The caller of a raw request, by session or access token, admitted by `access`: the same guard for console calls and
 * for relay calls that need a session; `isElement` for requests of a page's element. Throws an AppError.
 */
export const guardRequest = (
  deps: GuardDeps,
  req: IncomingMessage,
  access: Access,
  isElement = false,
): Promise<Identity | null> =>
  admit(
    access,
    {
      session: readSessionCookie(req.headers.cookie, deps.clients.isHttps(req)),
      headers: req.headers,
      isSameOrigin: isFromOwnSite(deps, req),
      isElement,
    },
    deps.auth,
  );
