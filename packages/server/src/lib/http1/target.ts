import type { Target } from './types.ts';

/** Takes an address apart. Throws TypeError where it is not one of http or https. */
export function targetOf(url: URL): Target {
  const isSecure = url.protocol === 'https:';
  if (!isSecure && url.protocol !== 'http:') throw new TypeError(`not an http address: ${url.protocol}`);
  return {
    origin: url.origin,
    isSecure,
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (isSecure ? 443 : 80),
    host: url.host,
    path: url.pathname + url.search,
  };
}
