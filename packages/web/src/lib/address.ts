import type { StatusData } from '@tollgate/contract';

/**
 * Public address of this site, without a trailing slash: the operator's setting, or the browser's address. The default of
 * the setting is the local machine, which other clients cannot reach.
 */
export function siteAddress(status: Pick<StatusData, 'server_address'> | undefined): string {
  const set = status?.server_address.replace(/\/+$/, '') ?? '';
  const isOwn = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::|$)/.test(set);
  return set === '' || isOwn ? window.location.origin : set;
}
