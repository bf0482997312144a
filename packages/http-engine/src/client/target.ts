import type { Scope } from '../guard.ts';
import type { Target } from './types.ts';

/** What the connections to a place are known by. `secureName` is that of the certificate, where a call names it. */
export const lineName = (scope: Scope, origin: string, secureName = ''): string =>
  `${scope} ${origin} ${secureName}`;

/** Takes an address apart. Throws TypeError where it is not one of http or https. */
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
