import { AppError, isMailAddress, role, secretMask, userSetting, type UserSetting } from '@tollgate/contract';
import { z } from 'zod';
import { seconds } from '../../../lib/clock.ts';
import { teamMembers, teams, tokens, users } from '../../../store/index.ts';
import { sealSecret } from '../../site/notify/index.ts';
import { changingUser } from './changing.ts';
import type { AccountsDeps, Actor } from './deps.ts';
import { lockUser, writeUser } from './edit.ts';
import { checkNewName } from './usernames.ts';

const storedLanguage = userSetting.pick({ language: true });
const storedWebhook = userSetting
  .pick({ webhook_url: true })
  .extend({ webhook_secret: z.string().default('') });

/** Columns that users change of their own account; absent fields stay unchanged. */
export interface SelfEdit {
  username?: string | undefined;
  displayName?: string | undefined;
  /** '' or absent: unchanged. */
  password?: string | undefined;
  originalPassword?: string | undefined;
}

/** The present session, which stays valid after a change of password, and its origin. */
export interface Requester {
  sessionIdHash: string | undefined;
  ip: string;
}

/**
 * Edits the user's own data. A new name or password requires the current password (ASVS 6.2.3), and a new password
 * ends all other sessions and the system access token. Throws `wrong_original_password`, `password_unchanged`,
 * `username_unclear`, `username_taken`.
 */
export async function editSelf(
  deps: AccountsDeps,
  actor: Actor,
  edit: SelfEdit,
  requester: Requester,
): Promise<void> {
  const user = await users.find(deps.db, actor.id);
  if (!user) throw new AppError('user_not_found');
  const renames = edit.username !== undefined && edit.username !== user.username;
  const newPassword = edit.password === '' ? undefined : edit.password;
  if (renames || newPassword !== undefined) {
    await confirmOwner(deps, user, edit.originalPassword ?? '', requester);
  }
  if (newPassword !== undefined && newPassword === edit.originalPassword && user.password !== '')
    throw new AppError('password_unchanged');
  if (renames && edit.username !== undefined)
    await checkNewName(deps.db, edit.username, { userId: actor.id, isOwnChoice: true });
  const password = newPassword === undefined ? undefined : await deps.guard.hashPassword(newPassword);
  await changingUser(deps, actor.id, async ({ db }) => {
    const locked = await lockUser(db, actor.id);
    const change = {
      ...(renames && edit.username !== undefined && { username: edit.username }),
      ...(edit.displayName !== undefined && { display_name: edit.displayName }),
      // A new password also ends the access token, so that a thief cannot keep using it.
      ...(password !== undefined && { password, access_token_hash: null }),
    };
    await writeUser(deps, db, locked, change);
  });
  if (password !== undefined) await deps.guard.endSessions(actor.id, requester.sessionIdHash);
  deps.log.info(
    { userId: actor.id, renamed: renames, newPassword: password !== undefined },
    'a user edited their own data',
  );
}

/** Throws unless the password is right; users without a password must have signed in a moment ago. */
async function confirmOwner(
  { guard }: AccountsDeps,
  user: { id: number; password: string },
  given: string,
  requester: Requester,
): Promise<void> {
  if (user.password === '') {
    if (!(await guard.isFreshSession(requester.sessionIdHash))) throw new AppError('sign_in_again');
    return;
  }
  const right = await guard.isCurrentPassword(user.id, given, requester.ip);
  if (!right) throw new AppError('wrong_original_password');
}

/**
 * Deletes the user's own account, softly, with all tokens and sessions. Refused for root, because a site needs one.
 */
export async function removeSelf(deps: AccountsDeps, actor: Actor): Promise<void> {
  await changingUser(deps, actor.id, async ({ db }) => {
    const user = await lockUser(db, actor.id);
    if (user.role >= role.root) throw new AppError('cannot_delete_own_root');
    if ((await teams.countOwned(db, actor.id)) > 0) throw new AppError('owns_teams');
    await users.softDelete(db, actor.id, seconds(deps.clock));
    await tokens.softDeleteAll(db, actor.id, seconds(deps.clock));
    await teamMembers.endAll(db, actor.id, seconds(deps.clock));
  });
  await deps.guard.endSessions(actor.id);
  deps.log.info({ userId: actor.id }, 'a user deleted their own account');
}

/**
 * Checks the fields that depend on the kind of warning (docs/compatibility.md#notices; the webhook must be https).
 */
function checkSetting(setting: UserSetting): void {
  if (setting.notify_type === 'webhook' && setting.webhook_url === '') throw new AppError('webhook_missing');
  if (setting.webhook_url !== '') {
    const { webhook_url: address } = setting;
    if (!URL.canParse(address) || new URL(address).protocol !== 'https:')
      throw new AppError('webhook_malformed');
  }
  const { notification_email: email } = setting;
  if (email !== '' && !isMailAddress(email)) throw new AppError('email_malformed');
}

/**
 * Replaces a user's settings as a whole; the webhook's secret is encrypted. A mask keeps the stored secret, for the
 * same address only, since a worker that makes the call sends it along. Throws `webhook_secret_required`.
 */
export async function saveSetting(deps: AccountsDeps, actor: Actor, setting: UserSetting): Promise<void> {
  checkSetting(setting);
  await changingUser(deps, actor.id, async ({ db }) => {
    const user = await lockUser(db, actor.id);
    const sealed =
      setting.webhook_secret === secretMask
        ? { ...setting, webhook_secret: keptSecret(user.setting, setting.webhook_url) }
        : sealSecret(deps.sealer, actor.id, setting);
    const { language = storedLanguage.safeParse(storedObject(user.setting)).data?.language } = setting;
    const kept = { ...sealed, ...(language !== undefined && { language }) };
    await writeUser(deps, db, user, { setting: JSON.stringify(kept) });
  });
}

/** Stores the language of a user's mails and webhooks without changing other settings. */
export async function saveLanguage(deps: AccountsDeps, actor: Actor, language: string): Promise<void> {
  await changingUser(deps, actor.id, async ({ db }) => {
    const user = await lockUser(db, actor.id);
    const setting = JSON.stringify({ ...storedObject(user.setting), language });
    await users.update(db, actor.id, { setting });
  });
}

/** The stored settings; empty for an empty text. */
const storedObject = (stored: string): object => (stored === '' ? {} : (JSON.parse(stored) as object));

/** The stored, encrypted secret; '' for none. */
function keptSecret(stored: string, url: string): string {
  const before = storedWebhook.safeParse(storedObject(stored));
  if (!before.success || before.data.webhook_url !== url) throw new AppError('webhook_secret_required');
  return before.data.webhook_secret;
}
