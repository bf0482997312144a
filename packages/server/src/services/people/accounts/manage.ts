import { AppError, role, userStatus } from '@tollgate/contract';
import { seconds } from '../../../lib/clock.ts';
import type { AuditTarget } from '../../site/audit/index.ts';
import {
  autoTopUps,
  eraseFactors,
  identities,
  inTransaction,
  idempotentCalls,
  keptParts,
  keptResponses,
  scimUsers,
  sessions,
  signInTickets,
  teamMembers,
  tokens,
  users,
} from '../../../store/index.ts';
import { changingUser } from './changing.ts';
import type { AccountsDeps, Actor } from './deps.ts';
import { lockUser, writeUser } from './edit.ts';

/** Actions on a user's state (docs/compatibility.md#user-administration); the balance has its own function. */
export type StateAction = 'promote' | 'demote' | 'disable' | 'enable' | 'delete';

/** The columns that each action writes. */
const writes: Record<Exclude<StateAction, 'delete'>, { role: number } | { status: number }> = {
  promote: { role: role.admin },
  demote: { role: role.common },
  disable: { status: userStatus.disabled },
  enable: { status: userStatus.enabled },
};

/** A user, as named in audit records. */
const targetOf = ({ id, username }: { id: number; username: string }): AuditTarget => ({
  type: 'user',
  id,
  name: username,
});

/**
 * Changes a user's role or status, or deletes them softly; returns the new values of both. Throws the errors of that
 * section.
 */
export async function manageUser(
  deps: AccountsDeps,
  actor: Actor,
  id: number,
  action: StateAction,
): Promise<{ role: number; status: number }> {
  const result = await changingUser(deps, id, async ({ db }) => {
    const target = await lockUser(db, id);
    deps.guard.authorize(actor, action, target);
    const now = { role: target.role, status: target.status };
    if (action === 'delete') {
      await users.softDelete(db, id, seconds(deps.clock));
      await deps.audit.record(db, { kind: 'user.delete', target: targetOf(target) });
      await tokens.softDeleteAll(db, id, seconds(deps.clock));
      await teamMembers.endAll(db, id, seconds(deps.clock));
      return now;
    }
    await writeUser(deps, db, target, writes[action], `user.${action}`);
    // From now on an administrator's decision counts, not that of a sign-in rule.
    if (action === 'disable' || action === 'enable') await identities.setEnded(db, id, 0);
    return { ...now, ...writes[action] };
  });
  // A higher role also requires a new sign-in (ASVS 7.2.4); only "enable" has no sessions to end.
  if (action !== 'enable') await deps.guard.endSessions(id);
  deps.log.info({ actorId: actor.id, userId: id, action }, 'an administrator changed a user');
  return result;
}

/**
 * Ends all sessions of a user of lower rank, and sign-ins that wait for their second step, with the audit record in
 * one transaction. Access token and keys stay valid: a lost device has neither, and programs depend on them. Throws
 * `user_not_found`, `cannot_edit_peer`.
 */
export async function endUserSessions(deps: AccountsDeps, actor: Actor, id: number): Promise<void> {
  const ended = await inTransaction(deps.db, async (db) => {
    const target = await lockUser(db, id);
    deps.guard.authorize(actor, 'end-sessions', target);
    await signInTickets.removeAll(db, id);
    const count = await sessions.removeAll(db, id);
    await deps.audit.record(db, { target: targetOf(target), note: { sessions: count } });
    return count;
  });
  deps.log.info({ actorId: actor.id, userId: id, ended }, 'an administrator ended the sessions of a user');
}

/**
 * Deletes a user's personal data permanently; account, ledger and logs stay. Strictly lower roles only
 * (docs/compatibility.md#user-administration).
 */
export async function eraseUser(deps: AccountsDeps, actor: Actor, id: number): Promise<void> {
  await changingUser(deps, id, async ({ db }) => {
    const target = await users.view(db, id);
    if (!target) throw new AppError('user_not_found');
    deps.guard.authorize(actor, 'erase', target);
    await tokens.softDeleteAll(db, id, seconds(deps.clock));
    await teamMembers.endAll(db, id, seconds(deps.clock));
    await identities.removeAll(db, id);
    await scimUsers.removeOf(db, id);
    await eraseFactors(db, id);
    await autoTopUps.removeOf(db, id);
    await keptResponses.removeOf(db, id);
    await keptParts.removeOf(db, id);
    await idempotentCalls.removeOf(db, id);
    await users.remove(db, id);
    await deps.audit.record(db, { target: targetOf(target) });
  });
  await deps.guard.endSessions(id);
  deps.log.info({ actorId: actor.id, userId: id }, 'an administrator erased a user');
}
