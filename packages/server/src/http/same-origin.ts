import type { IncomingHttpHeaders } from 'node:http';

const hostOf = (address: string): string => (URL.canParse(address) ? new URL(address).host : '');

/**
 * False if the browser says that another site caused the request (ASVS 3.5.1): Sec-Fetch-Site if present, else Origin
 * compared with the host that the caller used and the configured server address. Programs send neither and pass: they
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
