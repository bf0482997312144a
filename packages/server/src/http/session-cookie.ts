import type { CallContext } from './context.ts';

/** The prefix tells the browser that the cookie is for this host and https only (ASVS 3.3.3). */
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
