import type { SealPlace } from '../../../lib/seal.ts';
import { AppError, role, type TokenData, tokenStatus } from '@tollgate/contract';
import { seconds } from '../../../lib/clock.ts';
import { sha256 } from '../../../lib/hash.ts';
import { type Db, runs, teamMembers, teams, tokens, users } from '../../../store/index.ts';
import type { StoredRule } from './channel-rule.ts';
import { targetOf, type TokensDeps } from './deps.ts';
import {
  keyLength,
  namesIn,
  otherKeyHash,
  parseKey,
  type StoredRun,
  type StoredTeam,
  type StoredToken,
  type TokenOwner,
} from './resolve.ts';

/** Owner of the tokens: a person or a team. */
export interface Owner {
  id: number;
  /** The group that decides which groups a token may have: the user's, or the team's. */
  group: string;
  /** Set for tokens of a team; `all` for those of every member. */
  team?: { id: number; all: boolean };
}

export const scopeOf = ({ id, team }: Owner): tokens.TokenScope =>
  team?.all ? { teamId: team.id } : { teamId: team?.id ?? 0, userId: id };

/** Seal place of a token's key: only its owner can decrypt it. */
export const keyPlace = (row: { user_id: number; key_hash: string }): SealPlace => ({
  column: 'tokens.key',
  row: `${row.user_id} ${row.key_hash}`,
});

/**
 * The state of a token at `now` (Unix seconds). Expiry and exhaustion are computed, so a later date or more quota
 * enables the token again. Only the owner's switch is stored.
 */
export function statusOf(row: tokens.TokenRow, now: number): number {
  if (row.status !== tokenStatus.enabled) return row.status;
  if (row.expired_time !== -1 && row.expired_time <= now) return tokenStatus.expired;
  if (row.unlimited_quota === 0 && row.remain_quota <= 0) return tokenStatus.exhausted;
  return tokenStatus.enabled;
}

/** A token in its owner's view; `key` is the whole key if the owner may see it. */
export const showToken = (row: tokens.TokenRow, now: number, key = row.key_hint): TokenData => ({
  id: row.id,
  user_id: row.user_id,
  key,
  status: statusOf(row, now),
  name: row.name,
  created_time: row.created_time,
  accessed_time: row.accessed_time,
  expired_time: row.expired_time,
  remain_quota: row.remain_quota,
  unlimited_quota: row.unlimited_quota === 1,
  model_limits_enabled: row.model_limits_enabled === 1,
  model_limits: row.model_limits,
  allow_ips: row.allow_ips,
  used_quota: row.used_quota,
  group: row.group,
  cross_group_retry: row.cross_group_retry === 1,
  regions: row.regions,
  no_retention: row.no_retention === 1,
  DeletedAt: row.deleted_at,
});

/** Maximum number of tokens in a search result. */
const maxFound = 100;
/** Number of a key's first characters that are stored in clear text. */
const hintStart = 4;

/** Page and order of a list: newest first by default. */
export interface TokenSlice {
  offset: number;
  limit: number;
  sort?: tokens.TokenSort | undefined;
}

/** Filter of tokens. */
export interface TokenQuery {
  keyword: string;
  token: string;
  sort?: tokens.TokenSort | undefined;
}

/** A user's tokens, newest first unless ordered by a column, keys shortened. */
export async function listTokens(
  deps: Pick<TokensDeps, 'db' | 'clock'>,
  owner: Owner,
  slice: TokenSlice,
): Promise<TokenData[]> {
  const now = seconds(deps.clock);
  return (await tokens.list(deps.db, scopeOf(owner), slice)).map((row) => showToken(row, now));
}

/** A user's tokens by part of the name, by a whole key, or by the start of one. */
export async function searchTokens(
  deps: Pick<TokensDeps, 'db' | 'clock'>,
  owner: Owner,
  { keyword, token, sort }: TokenQuery,
): Promise<TokenData[]> {
  const { key } = parseKey(token);
  const byKey =
    key === ''
      ? {}
      : key.length === keyLength
        ? { keyHashes: [sha256(key), otherKeyHash(token)] }
        : { keyHashes: [otherKeyHash(token)], keyStart: key.slice(0, hintStart) };
  const now = seconds(deps.clock);
  const found = await tokens.search(deps.db, scopeOf(owner), {
    name: keyword.trim(),
    ...byKey,
    limit: maxFound,
    sort,
  });
  return found.map((row) => showToken(row, now));
}

/** One token with its whole key for its creator, if the key is stored; each such read is logged. */
export async function getToken(deps: TokensDeps, owner: Owner, id: number): Promise<TokenData> {
  const row = await tokens.findOwn(deps.db, id, scopeOf(owner));
  if (!row) throw new AppError('row_not_found');
  const now = seconds(deps.clock);
  if (row.key_sealed === '' || row.user_id !== owner.id) return showToken(row, now);
  deps.log.info({ userId: owner.id, tokenId: id }, 'an owner read a whole key');
  await deps.audit.recordOnce(deps.db, { userId: owner.id, target: targetOf(row) });
  return showToken(row, now, deps.sealer.open(row.key_sealed, keyPlace(row)));
}

/** A user for the relay's check, by token or by session; null if the user was deleted. */
export async function findOwner(db: Db, userId: number): Promise<TokenOwner | null> {
  const user = await users.find(db, userId);
  if (!user) return null;
  return {
    id: user.id,
    accountId: user.account_id,
    username: user.username,
    role: user.role,
    status: user.status,
    group: user.group,
    acceptUnsetPrice: acceptsUnsetPrice(user.setting),
  };
}

/** Look-ups of teams for the key check (services/people/teams is above this folder). */
export interface LimitTurn {
  /** Resets a monthly limit if a month has started; returns the end of its validity (Unix seconds). */
  turn(member: teamMembers.TeamMemberRow): Promise<number>;
}

/**
 * The token of a key's hash with its owner; null if either was deleted, or the paying team, or its owner's membership
 * in the team. `isOfRun`: the key was made for a run, and the token is the one that made it.
 */
export async function findStoredToken(
  db: Db,
  limits: LimitTurn,
  keyHash: string,
  isOfRun = false,
): Promise<StoredToken | null> {
  const run = isOfRun ? await runs.findByKey(db, keyHash) : undefined;
  const row = isOfRun ? run && (await tokens.find(db, run.token_id)) : await tokens.findByHash(db, keyHash);
  const user = row && (await findOwner(db, row.user_id));
  if (!row || !user) return null;
  const paying = row.team_id === 0 ? noTeam(user) : await findTeam(db, limits, row.team_id, user);
  if (!paying) return null;
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    expiredTime: row.expired_time,
    remainQuota: row.remain_quota,
    unlimited: row.unlimited_quota === 1,
    modelLimitsEnabled: row.model_limits_enabled === 1,
    modelLimits: row.model_limits,
    allowIps: row.allow_ips,
    group: row.group,
    crossGroupRetry: row.cross_group_retry === 1,
    rule: storedRule(row),
    ...paying,
    ...(run && { owner: withoutRank(paying.owner), run: storedRun(run) }),
  };
}

/** A key that another one has made has no more rights than that of an ordinary user. */
const withoutRank = (owner: TokenOwner): TokenOwner => ({
  ...owner,
  role: Math.min(owner.role, role.common),
});

const storedRun = (row: runs.RunRow): StoredRun => ({
  path: row.run,
  end: row.window_end,
  isOpen: row.enabled === 1,
  models: row.key_models === null ? undefined : namesIn(row.key_models),
});

const storedRule = ({
  regions,
  no_retention: none,
}: {
  regions: string;
  no_retention: number;
}): StoredRule => ({
  regions,
  noRetention: none === 1,
});

type Paying = Pick<StoredToken, 'owner' | 'team'>;

const noTeam = (owner: TokenOwner): Paying => ({ owner, team: null });

/**
 * The team that pays for a member's call, with its own wallet and group; null if the team or the membership was
 * deleted.
 */
async function findTeam(db: Db, limits: LimitTurn, teamId: number, user: TokenOwner): Promise<Paying | null> {
  const [team, member] = await Promise.all([teams.find(db, teamId), teamMembers.find(db, teamId, user.id)]);
  if (!team || !member) return null;
  const limitUntil = await limits.turn(member);
  const { id, name, status, owner_id: ownerId } = team;
  const stored: StoredTeam = {
    id,
    name,
    status,
    ownerId,
    memberId: member.id,
    limitUntil,
    rule: storedRule(team),
  };
  // A user cannot accept unpriced models for a paying team.
  const owner = { ...user, accountId: team.account_id, group: team.group, acceptUnsetPrice: false };
  return { owner, team: stored };
}

/** The user's setting (`accept_unset_model_ratio_model`); false if the settings cannot be read. */
function acceptsUnsetPrice(setting: string): boolean {
  if (setting === '') return false;
  try {
    const parsed: unknown = JSON.parse(setting);
    return (
      typeof parsed === 'object' &&
      parsed !== null &&
      'accept_unset_model_ratio_model' in parsed &&
      parsed.accept_unset_model_ratio_model === true
    );
  } catch {
    return false;
  }
}
