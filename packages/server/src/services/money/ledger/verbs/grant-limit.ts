import { balances, teamMembers } from '../../../../store/index.ts';
import { MissingRow, record, type VerbContext } from './context.ts';
import type { Moved } from './credit.ts';

/** A limit for a member of a team, or its renewal for another month. */
export interface GrantLimitInput {
  /** Unique name, such as `member:<id>:<request id>`. */
  txn: string;
  memberId: number;
  /** Quota units of the wallet that the member may use from `since` on; null for no limit. */
  limit: number | null;
  /** Unix seconds. */
  since: number;
  /** The actor; 0 for the start of a month. */
  actorId: number;
}

/**
 * Sets a member's remaining amount: the limit minus their use since then in the ledger, at least zero. No money moves,
 * and running calls keep their holds. Runs in the transaction that writes the member's other columns.
 */
export async function grantLimit(context: VerbContext, input: GrantLimitInput): Promise<Moved> {
  const { memberId, limit, since } = input;
  // The row lock prevents other settlements of this member, so the use stays valid.
  const [member] = await balances.lockMembers(context.db, [memberId]);
  if (!member) throw new MissingRow('team_members', memberId);
  context.touched.members.add(memberId);
  const before = member.remain_quota;
  if (limit === null) return { applied: true, before, after: before };
  const used = await teamMembers.usedSince(context.db, memberId, since);
  // The refund of a task may belong to a charge of an earlier month.
  const after = Math.max(0, limit - Math.max(0, used));
  if (after === before) return { applied: true, before, after };
  const isNew = await record(context, {
    txn: input.txn,
    kind: 'member',
    user_id: member.user_id,
    member_id: memberId,
    member_delta: after - before,
    actor_id: input.actorId,
    note: JSON.stringify({ limit, since }),
  });
  if (!isNew) return { applied: context.repeated, before, after: before };
  await balances.addToLimit(context.db, memberId, after - before);
  return { applied: true, before, after };
}
