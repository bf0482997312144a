import {
  AppError,
  defaultNames,
  fillWords,
  type Language,
  type TokenData,
  type TokenInput,
  tokenInput,
  tokenStatus,
} from '@tollgate/contract';
import { seconds } from '../../../lib/clock.ts';
import { sha256 } from '../../../lib/hash.ts';
import type { SealPlace } from '../../../lib/seal.ts';
import { tokens } from '../../../store/index.ts';
import { grantToken } from '../../money/ledger/index.ts';
import { checkName, columnsOf } from './columns.ts';
import { targetOf, type TokensDeps } from './deps.ts';
import { keyHint, newKey } from './key.ts';

/** Tokens of one user at most: a bound, not a plan; nobody needs so many. */
const maxTokens = 10_000;
/** What the first token of a newcomer may spend, should it ever be limited (docs/compatibility.md#credits). */
const firstQuota = 500_000;

/** Whose tokens are meant: a person's own, or those of a team. */
export interface Owner {
  id: number;
  /** The group that decides which groups a token may have: the person's, or the team's. */
  group: string;
  /** Set for tokens of a team; `all` for those of every member and not of this one alone. */
  team?: { id: number; all: boolean };
}

export const scopeOf = ({ id, team }: Owner): tokens.TokenScope =>
  team?.all ? { teamId: team.id } : { teamId: team?.id ?? 0, userId: id };

/** Where the sealed key of a token belongs: it opens for its owner alone. */
export const keyPlace = (row: { user_id: number; key_hash: string }): SealPlace => ({
  column: 'tokens.key',
  row: `${row.user_id} ${row.key_hash}`,
});

/** Makes a token and answers it with its whole key, which in hash-only mode nobody sees again. */
export async function createToken(
  deps: TokensDeps,
  owner: Owner,
  input: TokenInput,
  requestId: string,
): Promise<TokenData> {
  checkName(input.name);
  if (input.group !== '' && !deps.mayUseGroup(owner.group, input.group)) {
    throw new AppError('token_group_forbidden');
  }
  if ((await tokens.count(deps.db, owner.id)) >= maxTokens) {
    throw new AppError('token_limit_reached', { limit: maxTokens });
  }
  return insertToken(deps, { userId: owner.id, teamId: owner.team?.id ?? 0 }, input, requestId);
}

async function insertToken(
  deps: TokensDeps,
  { userId, teamId }: { userId: number; teamId: number },
  input: TokenInput,
  requestId: string,
): Promise<TokenData> {
  const key = newKey();
  const now = seconds(deps.clock);
  const owned = { user_id: userId, key_hash: sha256(key) };
  const row: tokens.NewToken = {
    ...owned,
    key_sealed: deps.hashOnly ? '' : deps.sealer.seal(key, keyPlace(owned)),
    key_hint: keyHint(key),
    status: tokenStatus.enabled,
    created_time: now,
    name: input.name,
    expired_time: input.expired_time,
    unlimited_quota: 0,
    model_limits_enabled: 0,
    model_limits: '',
    allow_ips: '',
    group: '',
    team_id: teamId,
    ...columnsOf(input),
  };
  const id = await deps.ledger.change(async (money) => {
    const created = await tokens.create(money.db, row);
    const txn = `token:${created}:${requestId}`;
    await grantToken(money, { txn, tokenId: created, change: { to: input.remain_quota }, actorId: userId });
    await deps.audit.record(money.db, { userId, target: targetOf({ id: created, name: input.name }) });
    return created;
  });
  const created = await tokens.find(deps.db, id);
  if (!created) throw new AppError('row_not_found');
  return showToken(created, now, key);
}

/** The first token of a user who registered (GENERATE_DEFAULT_TOKEN, docs/compatibility.md#credits). */
export async function createFirstToken(
  deps: TokensDeps,
  user: { id: number; username: string },
  requestId: string,
  language: Language = 'zh',
): Promise<void> {
  const name = fillWords(defaultNames.firstToken[language], { username: user.username });
  const input = tokenInput.parse({ unlimited_quota: true, remain_quota: firstQuota });
  await insertToken(deps, { userId: user.id, teamId: 0 }, { ...input, name }, requestId);
}

/**
 * The state of a token at `now` (Unix seconds). Expiry and exhaustion are read off the token itself, so that a later
 * date or more quota alone brings it back; stored is only what its owner switched.
 */
export function statusOf(row: tokens.TokenRow, now: number): number {
  if (row.status !== tokenStatus.enabled) return row.status;
  if (row.expired_time !== -1 && row.expired_time <= now) return tokenStatus.expired;
  if (row.unlimited_quota === 0 && row.remain_quota <= 0) return tokenStatus.exhausted;
  return tokenStatus.enabled;
}

/** A token as its owner sees it; `key` is the whole key where they may see that. */
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
  DeletedAt: row.deleted_at,
});
