import { AppError, role, type SignInPolicy, type TeamRole, teamRole } from '@tollgate/contract';
import { isObject } from '../../../lib/json.ts';
import type { Log } from '../../../lib/log.ts';
import { type Db, identities, scimGroups, scimUsers } from '../../../store/index.ts';
import type { Settings } from '../../site/settings/index.ts';
import { type Accounts, directoryProvider, type ForeignIdentity } from '../accounts/index.ts';

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
export function assign(policy: SignInPolicy, { claims = {} }: Partial<ForeignIdentity>): Assignment | null {
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

export interface RuleDeps {
  db: Db;
  settings: Pick<Settings, 'get'>;
  accounts: Pick<Accounts, 'follow' | 'endLeaver'>;
  /** Makes a user a member of an organisation with a role, or ends the membership (undefined). */
  assignMember(userId: number, organisation: number, role: TeamRole | undefined): Promise<void>;
  log: Log;
}

type Vouched = Pick<ForeignIdentity, 'provider' | 'subject'>;

/** Makes a user what the rules say. An organisation that cannot take the user keeps nobody from entering. */
export async function followRules(
  deps: RuleDeps,
  foreign: Vouched,
  userId: number,
  assigned: Assignment,
): Promise<void> {
  await deps.accounts.follow(foreign, userId, assigned);
  for (const [organisation, member] of assigned.organisations)
    try {
      await deps.assignMember(userId, organisation, member);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      deps.log.warn({ userId, organisation, code: error.code }, 'a sign-in rule cannot be followed');
    }
}

/** The policy whose users and groups the company's directory sends; undefined if none does. */
export function directoryPolicy(
  settings: Pick<Settings, 'get'>,
): { provider: string; policy: SignInPolicy } | undefined {
  const found = Object.entries(settings.get('SignInRules')).find(([, { scim }]) => scim === true);
  return found && { provider: found[0], policy: found[1] };
}

/** Tries of `followDirectory`: others may change the same user meanwhile. */
const maxTries = 5;

/** A group of the directory that will have another name, or no member (undefined). */
export interface GroupChange {
  id: number;
  name: string | undefined;
}

/**
 * Makes the account of a user of the directory what their groups and the rules say now, or after a change of a group;
 * false if they may not enter, and have been ended.
 */
export async function followDirectory(
  deps: RuleDeps,
  userId: number,
  change?: GroupChange,
): Promise<boolean> {
  let done = '';
  let mayEnter = false;
  for (let tries = 0; tries < maxTries; tries += 1) {
    const entry = await scimUsers.ofUser(deps.db, userId);
    const groups = (await scimGroups.groupsOf(deps.db, [userId]))
      .map(({ groupId, groupName }) => (groupId === change?.id ? change.name : groupName))
      .filter((name) => name !== undefined);
    const state = JSON.stringify([entry?.active, entry?.deleted_time, groups]);
    if (state === done) break;
    done = state;
    const policy = directoryPolicy(deps.settings)?.policy;
    const isThere = entry?.active === 1 && entry.deleted_time === null;
    const assigned = isThere && policy ? assign(policy, { claims: { [policy.claim]: groups } }) : null;
    mayEnter = assigned !== null;
    const vouched = { provider: directoryProvider, subject: entry?.resource_id ?? '' };
    if (assigned) await followRules(deps, vouched, userId, assigned);
    else await deps.accounts.endLeaver(userId);
  }
  return mayEnter;
}

/**
 * The account of the directory for a user whom the company's provider has identified: the one with the subject or
 * Entra's `oid` as `externalId`, or with their verified address. Undefined if there is none, if two match, or if the
 * account belongs to another identity of this provider.
 */
export async function findInDirectory(db: Db, foreign: ForeignIdentity): Promise<number | undefined> {
  const { oid } = foreign.claims ?? {};
  const externalIds = [foreign.subject, ...(typeof oid === 'string' && oid !== '' ? [oid] : [])];
  const [entry, another] = await scimUsers.findPerson(db, { externalIds, email: foreign.email });
  if (!entry || another) return undefined;
  const known = await identities.ofUsers(db, [entry.user_id]);
  return known.some(({ provider }) => provider === foreign.provider) ? undefined : entry.user_id;
}
