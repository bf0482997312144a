import { AppError, type Language } from '@tollgate/contract';
import type { Actor, Credential, Identity } from '../services/auth/index.ts';
import type { Membership } from '../services/teams/index.ts';

/** How a cookie is to be kept. Path is always `/`, HttpOnly and SameSite=Lax are always set. */
interface CookieOptions {
  secure: boolean;
  maxAgeSeconds: number;
}

/** The little of an answer that a handler may touch beside its data. */
export interface ReplyEdge {
  setCookie(name: string, value: string, options: CookieOptions): void;
  clearCookie(name: string, options: Pick<CookieOptions, 'secure'>): void;
  header(name: string, value: string): void;
}

/** What is known of a console call besides its input. */
export interface CallContext {
  /** Who calls; null for guests. Read fresh from the store for this very request. */
  actor: Actor | null;
  /** How the actor proved it; null for guests. */
  credential: Credential | null;
  /** The actor's place in the team of the address, checked with the route; null for calls about no team. */
  membership: Membership | null;
  requestId: string;
  /** The caller's own address, behind trusted proxies. */
  ip: string;
  /** True when the caller's connection is encrypted, directly or up to a trusted proxy. */
  isHttps: boolean;
  /** Scheme and host the caller used, for links of last resort: `https://gate.example`. */
  origin: string;
  /** False when a browser says that another site made it send this request. */
  isSameOrigin: boolean;
  userAgent: string;
  /** A cookie of the request by its name; '' for none. */
  cookie(name: string): string;
  /** A header of the request by its lower-case name; '' for none. */
  header(name: string): string;
  language: Language;
  reply: ReplyEdge;
}

/** The actor of a call whose access level admits no guests. */
export function actorOf(context: CallContext): Actor {
  if (!context.actor) throw new AppError('not_logged_in');
  return context.actor;
}

/** Who calls, and how they proved it, of a call whose access level admits no guests. */
export function identityOf(context: CallContext): Identity {
  if (!context.actor || !context.credential) throw new AppError('not_logged_in');
  return { actor: context.actor, credential: context.credential };
}

/** The name of the caller's session. Throws `access_token_not_supported` for a program, which has none. */
export function sessionOf(context: CallContext): string {
  const { credential } = identityOf(context);
  if (credential.kind !== 'session') throw new AppError('access_token_not_supported');
  return credential.idHash;
}

/** The place in a team of who calls, for calls whose route names a role in it. */
export function membershipIn(context: CallContext): Membership {
  if (!context.membership) throw new AppError('team_not_found');
  return context.membership;
}
