import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { AppError, type Language } from '@tollgate/contract';
import ipaddr from 'ipaddr.js';
import { parseIpRanges, plainAddress } from '../lib/outbound/address.ts';
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
  /** Authentication method of the actor; null for guests. */
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
  /** False if the browser reports that another site sent this request. */
  isSameOrigin: boolean;
  userAgent: string;
  /** A cookie of the request by its name; '' for none. */
  cookie(name: string): string;
  /** A header of the request by its lower-case name; '' for none. */
  header(name: string): string;
  language: Language;
  reply: ReplyEdge;
}

/** The actor of a call without guest access. Throws `not_logged_in`. */
export function requireActor(context: CallContext): Actor {
  if (!context.actor) throw new AppError('not_logged_in');
  return context.actor;
}

/** The actor and the authentication of a call without guest access. Throws `not_logged_in`. */
export function requireIdentity(context: CallContext): Identity {
  if (!context.actor || !context.credential) throw new AppError('not_logged_in');
  return { actor: context.actor, credential: context.credential };
}

/** The id of the caller's session. Throws `access_token_not_supported` for a program, which has none. */
export function requireSession(context: CallContext): string {
  const { credential } = requireIdentity(context);
  if (credential.kind !== 'session') throw new AppError('access_token_not_supported');
  return credential.idHash;
}

/** The caller's membership in a team, for calls with a required role in it. Throws `team_not_found`. */
export function requireMembership(context: CallContext): Membership {
  if (!context.membership) throw new AppError('team_not_found');
  return context.membership;
}

/** The parts of a request that identify its caller. */
export type Connected = Pick<IncomingMessage, 'headers' | 'socket'>;

/** Facts about the caller, read through the proxies that the operator trusts. */
export interface ClientReader {
  /** The caller's own address; IPv4 in IPv6 is written as IPv4. */
  ip(req: Connected): string;
  /** True when the caller's side is encrypted. */
  isHttps(req: Connected): boolean;
  /** Scheme and host in the caller's browser. */
  origin(req: Connected): string;
}

/** Names that an operator may use for address ranges. */
const named: Record<string, string[]> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

const firstOf = (header: string | string[] | undefined): string =>
  (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',')[0]!.trim();

/** True for names and addresses of the machine itself. */
export function isLoopbackHost(host: string): boolean {
  const name = host
    .replace(/^(\[[^\]]*\]|[^:]*):\d+$/, '$1')
    .replace(/^\[|\]$/g, '')
    .toLowerCase();
  return (
    name === 'localhost' || name.endsWith('.localhost') || name === '::1' || /^127\.\d+\.\d+\.\d+$/.test(name)
  );
}

/**
 * Reads callers through `trusted` proxies: addresses, CIDRs, or the names loopback and private. Headers of other
 * senders are ignored, because IP limits and tokens' address lists depend on the result (ASVS 4.1.3). Throws on an
 * invalid entry.
 */
export function createClientReader(trusted: readonly string[]): ClientReader {
  const proxies = parseIpRanges(trusted.flatMap((entry) => named[entry] ?? [entry]));
  const isTrusted = (address: string): boolean => trusted.length > 0 && proxies.contains(address);
  const remote = (req: Connected): string => plainAddress(req.socket.remoteAddress ?? '');
  const forwarded = (req: Connected, name: string): string =>
    isTrusted(remote(req)) ? firstOf(req.headers[name]) : '';

  const ip = (req: Connected): string => {
    let known = remote(req);
    if (!isTrusted(known)) return known;
    const chain = String(req.headers['x-forwarded-for'] ?? '').split(',');
    // From the nearest hop outwards: the first address that is none of our proxies is the caller.
    for (const hop of chain.toReversed()) {
      const address = plainAddress(hop.trim());
      if (!ipaddr.isValid(address)) break;
      known = address;
      if (!isTrusted(address)) break;
    }
    return known;
  };

  const isHttps = (req: Connected): boolean =>
    req.socket instanceof TLSSocket || forwarded(req, 'x-forwarded-proto').toLowerCase() === 'https';

  return {
    ip,
    isHttps,
    origin: (req) =>
      `${isHttps(req) ? 'https' : 'http'}://${forwarded(req, 'x-forwarded-host') || (req.headers.host ?? '')}`,
  };
}

const hostOf = (address: string): string => (URL.canParse(address) ? new URL(address).host : '');

/**
 * False if the browser says that another site caused the request (ASVS 3.5.1): Sec-Fetch-Site if present, otherwise
 * Origin compared with the used host and the configured server address. Programs send neither and pass, because they
 * do not have a user's cookies.
 */
export function isSameOrigin(
  headers: IncomingHttpHeaders,
  ownOrigin: string,
  serverAddress: string,
): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const origin = headers.origin;
  if (origin === undefined) return true;
  const host = hostOf(origin);
  return host !== '' && (host === hostOf(ownOrigin) || host === hostOf(serverAddress));
}

/** The prefix restricts the cookie to this host and https (ASVS 3.3.3). */
const secureName = '__Host-session';
const plainName = 'session';

/** 30 days: the maximum of a session; the server may end it earlier. */
const maxAgeSeconds = 30 * 86_400;

const nameFor = (isHttps: boolean): string => (isHttps ? secureName : plainName);

/** A cookie's value in a Cookie header, '' for none. */
export function readCookie(header: string | undefined, name: string): string {
  const start = `${name}=`;
  for (const part of (header ?? '').split(';')) {
    const cookie = part.trim();
    if (cookie.startsWith(start)) return cookie.slice(start.length);
  }
  return '';
}

/** The session cookie's value in a Cookie header, '' for none. Over https only the secure one counts. */
export const readSessionCookie = (header: string | undefined, isHttps: boolean): string =>
  readCookie(header, nameFor(isHttps));

/** Sets the session cookie. */
export function setSessionCookie({ reply, isHttps }: CallContext, value: string): void {
  reply.setCookie(nameFor(isHttps), value, { secure: isHttps, maxAgeSeconds });
}

/** Removes the session cookie. */
export function clearSessionCookie({ reply, isHttps }: CallContext): void {
  reply.clearCookie(nameFor(isHttps), { secure: isHttps });
}
