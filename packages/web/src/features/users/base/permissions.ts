import { role as roles, userStatus, type ManagedUserData } from '@tollgate/contract';

/** Permissions of an administrator on a user. */
export type UserAction = 'edit' | 'fund' | 'enable' | 'disable' | 'promote' | 'demote' | 'deregister';

/** A final status. */
const lockedStatus = 3;

interface Ranked {
  role: number;
}

/** Whether the server lets `actor` change `target`: root may change all, others only lower roles. */
const outranks = (actor: Ranked, target: Ranked): boolean =>
  actor.role >= roles.root || actor.role > target.role;

/**
 * True if `actor` may remove the second factor of `target` or end their sessions: only for lower roles, also for root.
 */
export const isBelow = (actor: Ranked | null, target: Pick<ManagedUserData, 'role' | 'DeletedAt'>): boolean =>
  actor !== null && target.DeletedAt === null && actor.role > target.role;

/**
 * The permissions of `actor` on `target`, so that only permitted buttons are shown; the server has its own checks.
 * Deleted users cannot be changed, and a super admin cannot be demoted.
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
