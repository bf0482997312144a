import { type Reauthentication, type Route, worksInDemo } from './route.ts';

/** The scopes of a system access token, from the least to the most. */
export const accessTokenScopes = ['read', 'manage', 'all'] as const;
export type AccessTokenScope = (typeof accessTokenScopes)[number];

/** Named access tokens of a user at most. */
export const maxAccessTokens = 50;

/**
 * Whether tokens of a scope may make a call: `read` only reads, `manage` makes all calls but those that ask for a second
 * factor (money, keys, security), `all` makes these as well. A GET that changes something does not work on a demo site.
 */
export function scopeAdmits(
  scope: AccessTokenScope,
  route: Pick<Route, 'method' | 'demo'> & { reauthenticate?: Reauthentication | undefined },
): boolean {
  if (scope === 'all') return true;
  if (route.reauthenticate !== undefined) return false;
  return scope === 'manage' || (route.method === 'GET' && worksInDemo(route));
}
