import { AppError, type ErrorCode, role } from '@tollgate/contract';

/** Actions on another user's account. */
export type UserAction =
  | 'read'
  | 'edit'
  | 'disable'
  | 'enable'
  | 'delete'
  | 'erase'
  | 'promote'
  | 'demote'
  | 'adjust'
  | 'reset-factor'
  | 'end-sessions';

interface Ranked {
  id: number;
  role: number;
}

/** A rule returns the reason to refuse, or null. The first refusal counts. */
type Rule = (actor: Ranked, target: Ranked) => ErrorCode | null;

const isRoot = (person: Ranked): boolean => person.role >= role.root;

/**
 * An administrator has a higher rank than users of strictly lower role; root has a higher rank than all others,
 * including other roots.
 */
const above =
  (refusal: ErrorCode): Rule =>
  (actor, target) =>
    isRoot(actor) || actor.role > target.role ? null : refusal;

/** Strictly higher role, also for root. */
const strictlyAbove =
  (refusal: ErrorCode): Rule =>
  (actor, target) =>
    actor.role > target.role ? null : refusal;

/** These properties of a root cannot be changed, not even by another root. */
const notRoot =
  (refusal: ErrorCode): Rule =>
  (_actor, target) =>
    isRoot(target) ? refusal : null;

const onlyRoot =
  (refusal: ErrorCode): Rule =>
  (actor) =>
    isRoot(actor) ? null : refusal;

const unless =
  (matches: (target: Ranked) => boolean, refusal: ErrorCode): Rule =>
  (_actor, target) =>
    matches(target) ? refusal : null;

/**
 * The rules of docs/compatibility.md#user-administration as one table; the order is that of the original's errors.
 */
const rules: Record<UserAction, readonly Rule[]> = {
  read: [above('cannot_read_peer')],
  edit: [above('cannot_edit_peer')],
  adjust: [above('cannot_edit_peer')],
  'reset-factor': [strictlyAbove('cannot_edit_peer')],
  'end-sessions': [strictlyAbove('cannot_edit_peer')],
  disable: [above('cannot_edit_peer'), notRoot('cannot_disable_root')],
  enable: [above('cannot_edit_peer')],
  delete: [above('cannot_edit_peer'), notRoot('cannot_delete_root')],
  erase: [strictlyAbove('cannot_delete_peer')],
  promote: [
    above('cannot_edit_peer'),
    onlyRoot('cannot_promote'),
    unless((target) => target.role >= role.admin, 'already_admin'),
  ],
  demote: [
    above('cannot_edit_peer'),
    notRoot('cannot_demote_root'),
    unless((target) => target.role <= role.common, 'already_common'),
  ],
};

/** The reason why `actor` may not do this to `target`; null if allowed. */
export function refusal(actor: Ranked, action: UserAction, target: Ranked): ErrorCode | null {
  for (const rule of rules[action]) {
    const reason = rule(actor, target);
    if (reason !== null) return reason;
  }
  return null;
}

/** Throws an AppError if `actor` may not do this to `target`. */
export function authorize(actor: Ranked, action: UserAction, target: Ranked): void {
  const reason = refusal(actor, action, target);
  if (reason !== null) throw new AppError(reason);
}
