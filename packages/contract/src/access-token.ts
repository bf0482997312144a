import { type Reauthentication, type Route, worksInDemo } from './route.ts';

/** Scopes of a system access token, in order of increasing rights. */
export const accessTokenScopes = ['read', 'manage', 'scim', 'all'] as const;
export type AccessTokenScope = (typeof accessTokenScopes)[number];

/** Maximum number of named access tokens per user. */
export const maxAccessTokens = 50;

/**
 * True if tokens of a scope may make a call. `scim` allows only the calls of a company's directory, `read` allows calls that only read, `manage` all calls without a second
 * factor, `all` also the calls with one (money, keys, security). A GET that changes something does not work on a demo
 * site.
 */
export function scopeAdmits(
  scope: AccessTokenScope,
  route: Pick<Route, 'method' | 'demo' | 'scope'> & { reauthenticate?: Reauthentication | undefined },
): boolean {
  if (scope === 'all') return true;
  if (scope === 'scim' || route.scope !== undefined) return scope === route.scope;
  if (route.reauthenticate !== undefined) return false;
  return scope === 'manage' || (route.method === 'GET' && worksInDemo(route));
}
