import { AppError, type AuditKind, keptText, logType, role } from '@tollgate/contract';
import { seconds } from '../../../lib/clock.ts';
import { accessTokens, accounts, type Db, users } from '../../../store/index.ts';
import { differences } from '../../site/audit/index.ts';
import { adjust, type Change, InsufficientQuota, type VerbContext } from '../../money/ledger/index.ts';
import { changingUser } from './changing.ts';
import type { AccountsDeps, Actor } from './deps.ts';
import { checkNewName } from './usernames.ts';
import { amountWords } from './words.ts';

/** Columns of a user that an administrator may change; absent fields stay unchanged. */
export interface UserEdit {
  username?: string | undefined;
  displayName?: string | undefined;
  /** '' or absent: unchanged. */
  password?: string | undefined;
  group?: string | undefined;
  /** '' removes it. */
  remark?: string | undefined;
  /** The new balance, in quota units: booked as a difference under the account's lock. */
  quota?: number | undefined;
  /**
   * Never written; refused if it would raise the user to the actor's role
   * (docs/compatibility.md#user-administration).
   */
  role?: number | undefined;
}

/** A user who is not deleted, locked. Throws `user_not_found`. */
export async function lockUser(db: Db, id: number): Promise<users.UserRow> {
  const user = await users.findLocked(db, id);
  if (!user) throw new AppError('user_not_found');
  return user;
}

/**
 * Writes columns of a locked user, with the audit record of the changes. `kind` is needed if the call does not
 * determine it.
 */
export async function writeUser(
  { audit }: Pick<AccountsDeps, 'audit'>,
  db: Db,
  user: users.UserRow,
  columns: users.UserChange,
  kind?: AuditKind,
): Promise<void> {
  if (Object.keys(columns).length > 0) await users.update(db, user.id, columns);
  // The token without a name and those with one end together: a thief must not keep any.
  if (columns.access_token_hash === null) await accessTokens.removeAll(db, user.id);
  await audit.record(db, {
    ...(kind && { kind }),
    target: { type: 'user', id: user.id, name: user.username },
    changes: differences(user, columns),
  });
}

const given = <Fields extends Record<string, string | undefined>>(fields: Fields): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
    ),
  );

/**
 * Edits a user for an administrator; a new password ends all sessions and the system access token. Throws
 * `cannot_edit_peer`, `cannot_raise_peer`, `group_unknown`, `username_unclear`, `username_taken`.
 */
export async function editUser(
  deps: AccountsDeps,
  actor: Actor,
  id: number,
  edit: UserEdit,
  requestId: string,
): Promise<void> {
  const password = edit.password ? await deps.guard.hashPassword(edit.password) : undefined;
  await changingUser(deps, id, async (money) => {
    if (edit.quota !== undefined) {
      const change = { to: edit.quota };
      await bookQuota(deps, money, { actor, id, change, reason: 'edit', expiresAt: 0, requestId });
    }
    const target = await lockUser(money.db, id);
    deps.guard.authorize(actor, 'edit', target);
    if (edit.role !== undefined && actor.role < role.root && edit.role >= actor.role) {
      throw new AppError('cannot_raise_peer');
    }
    // A group that was removed from the site stays until another one is chosen.
    if (
      edit.group &&
      edit.group !== target.group &&
      !Object.hasOwn(deps.settings.get('GroupRatio'), edit.group)
    ) {
      throw new AppError('group_unknown', { group: edit.group });
    }
    if (edit.username && edit.username !== target.username)
      await checkNewName(money.db, edit.username, { userId: id, isOwnChoice: false });
    const change = {
      ...given({ username: edit.username, display_name: edit.displayName, group: edit.group }),
      ...(edit.remark !== undefined && { remark: edit.remark === '' ? null : edit.remark }),
      ...(password !== undefined && { password, access_token_hash: null }),
    };
    await writeUser(deps, money.db, target, change);
  });
  if (password !== undefined) await deps.guard.endSessions(id);
  deps.log.info(
    { actorId: actor.id, userId: id, fields: Object.keys(edit) },
    'an administrator edited a user',
  );
}

/** A change of a balance by an administrator. */
export interface QuotaChange {
  change: Change;
  reason: string;
  /** Unix seconds at which added credit expires; 0 for never. */
  expiresAt: number;
  requestId: string;
}

/**
 * Changes a balance by an amount, or to an amount, for an administrator. Throws `quota_would_be_negative`, and
 * `credit_expiry_past`. Only an added amount can have an expiry.
 */
export async function adjustQuota(
  deps: AccountsDeps,
  actor: Actor,
  id: number,
  booked: QuotaChange,
): Promise<void> {
  const { change, expiresAt } = booked;
  if (expiresAt > 0 && !('by' in change && change.by > 0)) throw new AppError('invalid_parameter');
  if (expiresAt > 0 && expiresAt <= seconds(deps.clock)) throw new AppError('credit_expiry_past');
  await changingUser(deps, id, (money) => bookQuota(deps, money, { actor, id, ...booked }));
}

interface Booking extends QuotaChange {
  actor: Actor;
  id: number;
}

/**
 * Books an adjustment with its log row; an adjustment of 0 writes nothing. The user's row is read without a lock,
 * because accounts are always locked before users.
 */
async function bookQuota(
  { settings, guard, audit }: AccountsDeps,
  money: VerbContext,
  { actor, id, change, reason, expiresAt, requestId }: Booking,
): Promise<void> {
  const target = await users.find(money.db, id);
  if (!target) throw new AppError('user_not_found');
  guard.authorize(actor, 'adjust', target);
  const account = await accounts.find(money.db, target.account_id);
  if ('to' in change ? change.to === account?.balance : change.by === 0) return;
  const content = (before: number, after: number): string =>
    keptText('quotaChanged', {
      before: amountWords(settings, before),
      after: amountWords(settings, after),
    });
  try {
    const moved = await adjust(money, {
      txn: `adjust:${requestId}`,
      accountId: target.account_id,
      userId: id,
      change,
      actorId: actor.id,
      reason,
      expiresAt,
      log: { type: logType.manage, content },
    });
    await audit.record(money.db, {
      kind: 'user.quota',
      target: { type: 'user', id, name: target.username },
      note: {
        amount: moved.after - moved.before,
        reason,
        ...(expiresAt > 0 && { expires_time: expiresAt }),
      },
      changes: differences({ quota: moved.before }, { quota: moved.after }),
    });
  } catch (error) {
    if (!(error instanceof InsufficientQuota)) throw error;
    throw new AppError('quota_would_be_negative', { available: error.available }, error);
  }
}
