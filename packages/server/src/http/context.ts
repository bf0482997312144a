import { AppError, type Language } from '@tollgate/contract';
import type { Actor, Credential, Identity } from '../services/people/auth/index.ts';
import type { Membership } from '../services/people/teams/index.ts';

/** Options of a cookie. Path is always `/`; HttpOnly and SameSite=Lax are always set. */
interface CookieOptions {
  secure: boolean;
  maxAgeSeconds: number;
}

/** The parts of a response that a handler may change besides its data. */
export interface ReplyEdge {
  setCookie(name: string, value: string, options: CookieOptions): void;
  clearCookie(name: string, options: Pick<CookieOptions, 'secure'>): void;
  header(name: string, value: string): void;
}

/** The context of a console call besides its input. */
export interface CallContext {
  /** The caller; null for guests. Read from the store for this request. */
  actor: Actor | null;
  /** How the actor was authenticated; null for guests. */
  credential: Credential | null;
  /** The actor's membership in the team of the address, checked with the route; null for calls without a team. */
  membership: Membership | null;
  requestId: string;
  /** The caller's own address, behind trusted proxies. */
  ip: string;
  /** True when the caller's connection is encrypted, directly or up to a trusted proxy. */
  isHttps: boolean;
  /** Scheme and host that the caller used, as a fallback for links: `https://gate.example`. */
  origin: string;
  /** False if the browser says that another site sent this request. */
  isSameOrigin: boolean;
  userAgent: string;
  /** A cookie of the request by its name; '' for none. */
  cookie(name: string): string;
  /** A header of the request by its lower-case name; '' for none. */
  header(name: string): string;
  language: Language;
  reply: ReplyEdge;
}

/** The actor of a call whose access level excludes guests. */
export function actorOf(context: CallContext): Actor {
  if (!context.actor) throw new AppError('not_logged_in');
  return context.actor;
}

/** The actor and the authentication of a call whose access level excludes guests. */
export function identityOf(context: CallContext): Identity {
  if (!context.actor || !context.credential) throw new AppError('not_logged_in');
  return { actor: context.actor, credential: context.credential };
}

/** The id of the caller's session. Throws `access_token_not_supported` for a program, which has none. */
export function sessionOf(context: CallContext): string {
  const { credential } = identityOf(context);
  if (credential.kind !== 'session') throw new AppError('access_token_not_supported');
  return credential.idHash;
}

/** The caller's membership in a team, for calls whose route requires a role in it. */
export function membershipIn(context: CallContext): Membership {
  if (!context.membership) throw new AppError('team_not_found');
  return context.membership;
}
