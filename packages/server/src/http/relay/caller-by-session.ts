import { AppError } from '@tollgate/contract';
import type { IncomingMessage } from 'node:http';
import type { Caller } from '../../gateway/index.ts';
import type { Tokens } from '../../services/people/tokens/index.ts';
import { type GuardDeps, guardRequest } from '../access.ts';

/**
 * The caller of a relay call from a console page, or from an element of one. Throws the guard's errors, and
 * `access_token_not_supported` for an access token instead of a session (docs/compatibility.md#relay-keys).
 */
export async function callerBySession(
  deps: GuardDeps & { tokens: Pick<Tokens, 'owner'> },
  req: IncomingMessage,
  isElement = false,
): Promise<Caller> {
  const identity = await guardRequest(deps, req, 'user', { isElement });
  if (identity?.credential.kind !== 'session') throw new AppError('access_token_not_supported');
  const owner = await deps.tokens.owner(identity.actor.id);
  if (!owner) throw new AppError('not_logged_in');
  return {
    userId: owner.id,
    accountId: owner.accountId,
    username: owner.username,
    role: owner.role,
    userGroup: owner.group,
    acceptUnsetPrice: owner.acceptUnsetPrice,
    tokenId: 0,
    tokenName: '',
    maskedKey: '',
    tokenGroup: '',
    crossGroupRetry: false,
    tokenUnlimited: true,
    modelLimits: null,
    channelRule: null,
    pinnedChannelId: 0,
    team: null,
  };
}
