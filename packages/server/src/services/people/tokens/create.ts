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
import { tokens } from '../../../store/index.ts';
import { grantToken } from '../../money/ledger/index.ts';
import { checkName, columnsOf } from './columns.ts';
import { targetOf, type TokensDeps } from './deps.ts';
import { keyHint, newKey } from './resolve.ts';
import { keyPlace, type Owner, showToken } from './read.ts';

/** Maximum number of tokens of a user. */
const maxTokens = 10_000;
/** Allowance of a new user's first token if it is limited later (docs/compatibility.md#credits). */
const firstQuota = 500_000;

/** Creates a token and returns its whole key. In hash-only mode the key cannot be read again. */
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
  const input = tokenInput.parse({
    unlimited_quota: true,
    remain_quota: firstQuota,
    group: deps.firstGroup(),
  });
  await insertToken(deps, { userId: user.id, teamId: 0 }, { ...input, name }, requestId);
}
