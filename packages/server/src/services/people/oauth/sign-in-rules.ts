import { role, type SignInPolicy, type TeamRole, teamRole } from '@tollgate/contract';
import { isObject } from '../../../lib/json.ts';
import type { ForeignIdentity } from '../accounts/index.ts';

/** What a company's provider decides about a user at each sign-in; undefined fields are left to the site. */
export interface Assignment {
  /** Group of the user, where the policy names groups. */
  group: string | undefined;
  /** Role of the user, where the policy names roles. */
  role: number | undefined;
  /** Role in each organisation that the policy names; undefined where the user is no member. */
  organisations: ReadonlyMap<number, TeamRole | undefined>;
}

/** The texts of the claim with this name, or else at this path, such as `realm_access.roles`. */
function textsOf(claims: Readonly<Record<string, unknown>>, path: string): string[] {
  const steps = Object.hasOwn(claims, path) ? [path] : path.split('.');
  let value: unknown = claims;
  for (const step of steps) {
    if (!isObject(value) || !Object.hasOwn(value, step)) return [];
    value = value[step];
  }
  const list = Array.isArray(value) ? (value as unknown[]) : [value];
  return list.filter((each) => typeof each === 'string');
}

/**
 * The assignment of a user by the policy of their provider; null if no rule matches, so that they may not enter. Group:
 * of the first matching rule with one, else `default`; roles: the highest.
 */
export function assign(policy: SignInPolicy, { claims = {} }: ForeignIdentity): Assignment | null {
  const has = new Set(textsOf(claims, policy.claim));
  const matching = policy.rules.filter(({ value }) => value === '*' || has.has(value));
  if (matching.length === 0) return null;
  const names = (field: 'group' | 'role') => policy.rules.some((rule) => rule[field] !== undefined);
  const isAdmin = matching.some((rule) => rule.role === 'admin');
  const organisations = new Map<number, TeamRole | undefined>();
  for (const { organisation } of policy.rules) if (organisation) organisations.set(organisation, undefined);
  for (const { organisation, member } of matching) {
    if (!organisation) continue;
    const given = member === 'manager' ? teamRole.manager : teamRole.member;
    organisations.set(organisation, Math.max(given, organisations.get(organisation) ?? 0) as TeamRole);
  }
  return {
    group: names('group')
      ? (matching.find(({ group }) => group !== undefined)?.group ?? 'default')
      : undefined,
    role: names('role') ? (isAdmin ? role.admin : role.common) : undefined,
    organisations,
  };
}
