import { AppError, role, type UserSetting } from '@tollgate/contract';
import { seconds } from '../../lib/clock.ts';
import { tokens, users } from '../../store/index.ts';
import { sealSecret } from '../notify/index.ts';
import { changingUser } from './changing.ts';
import type { AccountsDeps, Actor } from './deps.ts';
import { lockUser } from './edit.ts';

/** What people change of their own account; absent fields stay as they are. */
export interface SelfEdit {
  username?: string | undefined;
  displayName?: string | undefined;
  /** '' or absent keeps it. */
  password?: string | undefined;
  originalPassword?: string | undefined;
}

/** The session that asks, which outlives a change of password, and where it comes from. */
export interface Asker {
  sessionIdHash: string | undefined;
  ip: string;
}

/**
 * A user edits himself. A new name or password needs the current password (ASVS 6.2.3), and a new password ends all
 * other sessions. Throws `wrong_original_password`, `username_taken`.
 */
export async function editSelf(
  deps: AccountsDeps,
  actor: Actor,
  edit: SelfEdit,
  asker: Asker,
): Promise<void> {
  const user = await users.find(deps.db, actor.id);
  if (!user) throw new AppError('user_not_found');
  const renames = edit.username !== undefined && edit.username !== user.username;
  const newPassword = edit.password === '' ? undefined : edit.password;
  if (renames || newPassword !== undefined) {
    const right = await deps.guard.confirmPassword(user, edit.originalPassword ?? '', asker.ip);
    if (!right) throw new AppError('wrong_original_password');
  }
  const password = newPassword === undefined ? undefined : await deps.guard.hashPassword(newPassword);
  await changingUser(deps, actor.id, async ({ db }) => {
    await lockUser(db, actor.id);
    const change = {
      ...(renames && edit.username !== undefined && { username: edit.username }),
      ...(edit.displayName !== undefined && { display_name: edit.displayName }),
      ...(password !== undefined && { password }),
    };
    if (Object.keys(change).length > 0) await users.update(db, actor.id, change);
  });
  if (password !== undefined) await deps.guard.endSessions(actor.id, asker.sessionIdHash);
  deps.log.info(
    { userId: actor.id, renamed: renames, newPassword: password !== undefined },
    'a user edited himself',
  );
}

/** A user deletes himself, softly, with all tokens and sessions. Refused for root: somebody must run the site. */
export async function removeSelf(deps: AccountsDeps, actor: Actor): Promise<void> {
  await changingUser(deps, actor.id, async ({ db }) => {
    const user = await lockUser(db, actor.id);
    if (user.role >= role.root) throw new AppError('cannot_delete_own_root');
    await users.softDelete(db, actor.id, seconds(deps.clock));
    await tokens.softDeleteAll(db, actor.id, seconds(deps.clock));
  });
  await deps.guard.endSessions(actor.id);
  deps.log.info({ userId: actor.id }, 'a user deleted himself');
}

/**
 * Checks what depends on the kind of warning (wire-facts 8.4; the webhook must be https, specification 1, section 5).
 */
function checkSetting(setting: UserSetting): void {
  if (setting.notify_type === 'webhook' && setting.webhook_url === '') throw new AppError('webhook_missing');
  if (setting.webhook_url !== '') {
    const { webhook_url: address } = setting;
    if (!URL.canParse(address) || new URL(address).protocol !== 'https:')
      throw new AppError('webhook_malformed');
  }
  const { notification_email: email } = setting;
  if (email !== '' && !/^[^\s@]+@[^\s@]+$/.test(email)) throw new AppError('email_malformed');
}

/** Replaces a user's own settings as a whole; the secret of his webhook is sealed. */
export async function saveSetting(deps: AccountsDeps, actor: Actor, setting: UserSetting): Promise<void> {
  checkSetting(setting);
  const stored = JSON.stringify(sealSecret(deps.sealer, setting));
  await changingUser(deps, actor.id, async ({ db }) => {
    if (!(await users.update(db, actor.id, { setting: stored }))) {
      throw new AppError('user_not_found');
    }
  });
}
