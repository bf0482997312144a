import type { StatusData } from '@tollgate/contract';

/**
 * Where callers reach this site, without a trailing slash: the address the operator set, else the one in the browser.
 * The default of the setting names the machine itself and helps nobody else.
 */
export function siteAddress(status: Pick<StatusData, 'server_address'> | undefined): string {
  const set = status?.server_address.replace(/\/+$/, '') ?? '';
  const isOwn = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::|$)/.test(set);
  return set === '' || isOwn ? window.location.origin : set;
}
