import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type Access, accessRole, AppError, type Language, role, userStatus } from '@tollgate/contract';
import type { FastifyRequest } from 'fastify';
import { namedLanguage } from '../lib/accept-language.ts';
import type { Identity } from '../services/people/auth/index.ts';
import { type ClientReader, isSameOrigin, readSessionCookie } from './context.ts';

/** Finds the user of a cookie or an access token; null if there is none. */
interface Identifier {
  bySession(value: string): Promise<Identity | null>;
  byAccessToken(token: string): Promise<Identity | null>;
}

/** The credentials of a request. */
interface PresentedCredentials {
  /** The session cookie's value; '' for none. */
  session: string;
  headers: IncomingHttpHeaders;
  isSameOrigin: boolean;
  /** True for a request of an element of a page (a video), which reads and cannot send a header. */
  isElement?: boolean;
  /** True for calls of other companies' programs, which send only an access token. */
  isProgram?: boolean;
}

const roles: readonly number[] = Object.values(role);

const bearer = (header: string | undefined): string => (header ?? '').replace(/^bearer\s+/i, '').trim();

async function findIdentity(who: Identifier, presented: PresentedCredentials): Promise<Identity | null> {
  if (presented.session !== '') {
    const identity = await who.bySession(presented.session);
    if (identity) return identity;
  }
  const token = bearer(presented.headers.authorization);
  return token === '' ? null : who.byAccessToken(token);
}

/**
 * The header `New-Api-User` must have the caller's id: because of it browsers send a preflight request for other
 * sites (docs/compatibility.md#console-guard).
 */
function checkUserHeader(header: string | string[] | undefined, id: number): void {
  if (typeof header !== 'string' || header === '') throw new AppError('user_header_missing');
  if (!/^-?\d{1,15}$/.test(header.trim())) throw new AppError('user_header_malformed');
  if (Number(header) !== id) throw new AppError('user_header_mismatch');
}

/**
 * Admits a caller to a route or throws, with the order and texts of docs/compatibility.md#console-guard. Returns the
 * caller, null for guests of public routes. Role and status are the stored ones at this moment.
 */
async function admit(
  access: Access,
  presented: PresentedCredentials,
  who: Identifier,
): Promise<Identity | null> {
  if (access === 'public') return null;
  const identity = await findIdentity(who, presented);
  if (access === 'try-user') return identity?.actor.status === userStatus.enabled ? identity : null;
  if (!identity) {
    const hasToken = bearer(presented.headers.authorization) !== '';
    throw new AppError(hasToken ? 'invalid_access_token' : 'not_logged_in');
  }
  const { actor, credential } = identity;
  const named = presented.headers['new-api-user'];
  // Browsers do not add a token to a request of another site.
  const isProgram = presented.isProgram === true && credential.kind === 'access-token';
  if (named !== undefined || !(presented.isElement || isProgram)) checkUserHeader(named, actor.id);
  if (credential.kind === 'session' && !presented.isSameOrigin) throw new AppError('cross_site');
  if (actor.status !== userStatus.enabled) throw new AppError('user_banned');
  if (actor.role < accessRole[access]) throw new AppError('insufficient_role');
  if (actor.username === '' || !roles.includes(actor.role)) throw new AppError('invalid_user_info');
  return identity;
}

export interface GuardDeps {
  auth: Identifier;
  clients: ClientReader;
  /** The configured address of the site; '' when none is set. */
  serverAddress(): string;
}

/** True unless the browser reports that another site caused the request. */
export const isFromOwnSite = (
  { clients, serverAddress }: Omit<GuardDeps, 'auth'>,
  req: IncomingMessage,
): boolean => isSameOrigin(req.headers, clients.origin(req), serverAddress());

/**
 * The caller of a raw request, by session or access token, admitted by `access`: the same guard for console calls and
 * for relay calls that need a session. Throws an AppError.
 */
export const guardRequest = (
  deps: GuardDeps,
  req: IncomingMessage,
  access: Access,
  kind: Pick<PresentedCredentials, 'isElement' | 'isProgram'> = {},
): Promise<Identity | null> =>
  admit(
    access,
    {
      session: readSessionCookie(req.headers.cookie, deps.clients.isHttps(req)),
      headers: req.headers,
      isSameOrigin: isFromOwnSite(deps, req),
      ...kind,
    },
    deps.auth,
  );

declare module 'fastify' {
  interface FastifyRequest {
    /** The site's default language; once the caller is known, that of the account. Errors are written in it too. */
    readerLanguage: Language | undefined;
  }
}

/**
 * The language of a console answer: that of Accept-Language, otherwise that of the caller's account, otherwise the
 * site's default (option DefaultLanguage), otherwise Chinese, because existing clients compare the Chinese texts.
 */
export const readLanguage = (header: string | undefined, kept?: Language): Language =>
  namedLanguage(header) ?? kept ?? 'zh';

/** Identifies callers like `auth`, and stores their language on the request. */
export function notingLanguage(auth: Identifier, request: FastifyRequest): Identifier {
  const note = (identity: Identity | null): Identity | null => {
    request.readerLanguage = identity?.language ?? request.readerLanguage;
    return identity;
  };
  return {
    bySession: async (value) => note(await auth.bySession(value)),
    byAccessToken: async (token) => note(await auth.byAccessToken(token)),
  };
}
