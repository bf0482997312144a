import { balances } from '../../../../store/index.ts';
import { InsufficientQuota } from '../plan/types.ts';
import { type Change, differenceOf } from './adjust.ts';
import { MissingRow, record, type VerbContext } from './context.ts';
import type { Moved } from './credit.ts';

/** A new allowance for a token, at its creation or change. */
export interface GrantTokenInput {
  /** Unique name, such as `token:<request id>`. */
  txn: string;
  tokenId: number;
  change: Change;
  /** The actor. */
  actorId: number;
  reason?: string;
}

/**
 * Changes a token's remaining allowance. No money moves. Runs in the transaction that writes the token's other
 * columns, so both succeed or fail together. Throws InsufficientQuota if it would take more than is left. An unlimited
 * token is below zero once it was used; editing it takes nothing from it.
 */
export async function grantToken(context: VerbContext, input: GrantTokenInput): Promise<Moved> {
  const [token] = await balances.lockTokens(context.db, [input.tokenId]);
  if (!token) throw new MissingRow('tokens', input.tokenId);
  // Marked even without a movement: `unlimited_quota` may have changed in the same transaction.
  context.touched.tokens.add(input.tokenId);
  const before = token.remain_quota;
  const delta = differenceOf(input.change, before);
  if (delta < 0 && before + delta < 0) throw new InsufficientQuota('token', before, -delta);
  if (delta === 0) return { applied: true, before, after: before };
  const isNew = await record(context, {
    txn: input.txn,
    kind: 'token',
    user_id: token.user_id,
    token_id: input.tokenId,
    token_delta: delta,
    actor_id: input.actorId,
    note: input.reason ?? '',
  });
  if (!isNew) return { applied: context.repeated, before, after: before };
  await balances.addToAllowance(context.db, input.tokenId, delta);
  return { applied: true, before, after: before + delta };
}
