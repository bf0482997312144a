import { balances, teamMembers } from '../../../../store/index.ts';
import { MissingRow, record, type VerbContext } from './context.ts';
import type { Moved } from './credit.ts';

/** A limit for a member of a team, or the same one for another month. */
export interface GrantLimitInput {
  /** Unique name, such as `member:<id>:<request id>`. */
  txn: string;
  memberId: number;
  /** What the member may use of the wallet from `since` on, in quota units; null for as much as there is. */
  limit: number | null;
  /** Unix seconds. */
  since: number;
  /** Who set it; 0 for the turn of a month. */
  actorId: number;
}

/**
 * Sets what a member may still spend: the limit less what the ledger says they have used since, and nothing where that
 * is more already. A meter of its own, no money moves; calls that run keep their holds. In the transaction that writes
 * the member's other columns.
 */
export async function grantLimit(context: VerbContext, input: GrantLimitInput): Promise<Moved> {
  const { memberId, limit, since } = input;
  // With the row's lock no other transaction settles for this member, so what was used stays what is read.
  const [member] = await balances.lockMembers(context.db, [memberId]);
  if (!member) throw new MissingRow('team_members', memberId);
  context.touched.members.add(memberId);
  const before = member.remain_quota;
  if (limit === null) return { applied: true, before, after: before };
  const used = await teamMembers.usedSince(context.db, memberId, since);
  // What a task was given back may belong to a charge of an earlier month.
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
