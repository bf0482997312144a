import { role as roles, userStatus, type ManagedUserData } from '@tollgate/contract';

/** What an administrator may do to somebody. */
export type UserAction = 'edit' | 'fund' | 'enable' | 'disable' | 'promote' | 'demote' | 'deregister';

/** A final status. */
const lockedStatus = 3;

interface Ranked {
  role: number;
}

/** Whether the server would let `actor` change `target` at all: root anybody, others only those of a lower role. */
const outranks = (actor: Ranked, target: Ranked): boolean =>
  actor.role >= roles.root || actor.role > target.role;

/** True if `actor` may remove the second factor of `target` or end their sessions: only of lower ranks, also for root. */
export const isBelow = (actor: Ranked | null, target: Pick<ManagedUserData, 'role' | 'DeletedAt'>): boolean =>
  actor !== null && target.DeletedAt === null && actor.role > target.role;

/**
 * What `actor` may do to `target`, so that only such buttons are shown; the server decides by rules of its own. Nothing
 * is done to those who were deleted, and nobody takes a super admin's place away.
 */
export function userActions(
  actor: Ranked | null,
  target: Pick<ManagedUserData, 'role' | 'status' | 'DeletedAt'>,
): ReadonlySet<UserAction> {
  const acts = new Set<UserAction>();
  if (actor === null || target.DeletedAt !== null || !outranks(actor, target)) return acts;
  const isRoot = target.role >= roles.root;
  acts.add('edit').add('fund');
  if (target.status !== userStatus.enabled) {
    if (target.status !== lockedStatus) acts.add('enable');
  } else if (!isRoot) acts.add('disable');
  if (actor.role >= roles.root && target.role < roles.admin) acts.add('promote');
  if (target.role > roles.common && !isRoot) acts.add('demote');
  if (!isRoot) acts.add('deregister');
  return acts;
}
