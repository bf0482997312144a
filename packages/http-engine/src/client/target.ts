import type { Scope } from '../guard.ts';
import type { Target } from './types.ts';

/** The key of the connections to a server. `secureName` is the name in the certificate, if a call has one. */
export const lineName = (scope: Scope, origin: string, secureName = ''): string =>
  `${scope} ${origin} ${secureName}`;

/** Parses an address. Throws TypeError if it is not an http or https address. */
export function parseTarget(url: URL): Target {
  const isSecure = url.protocol === 'https:';
  if (!isSecure && url.protocol !== 'http:') throw new TypeError(`not an http address: ${url.protocol}`);
  return {
    origin: url.origin,
    isSecure,
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (isSecure ? 443 : 80),
    host: url.host,
    path: url.pathname + url.search,
    lines: { public: lineName('public', url.origin), operator: lineName('operator', url.origin) },
  };
}
