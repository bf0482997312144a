import { randomBytes } from 'node:crypto';
import { AppError, type Language } from '@tollgate/contract';
import { keptLanguage } from '../../../lib/accept-language.ts';
import { type Db, users } from '../../../store/index.ts';
import { changingUser } from './changing.ts';
import type { AccountsDeps, Actor } from './deps.ts';
import { lockUser, writeUser } from './edit.ts';
import { writeAccountMail } from './mails.ts';

/** Addresses are stored in lower case, so that no address exists twice. */
export const storedAddress = (email: string): string => email.trim().toLowerCase();

/** Throws if the operator's rules for domains and aliases refuse an address (docs/compatibility.md#mail). */
function checkAddress({ settings }: AccountsDeps, email: string): void {
  const [local = '', domain = ''] = storedAddress(email).split('@');
  if (settings.get('EmailDomainRestrictionEnabled')) {
    const allowed = settings.get('EmailDomainWhitelist');
    if (!allowed.some((each) => each.toLowerCase() === domain)) throw new AppError('email_domain_refused');
  }
  if (settings.get('EmailAliasRestrictionEnabled') && /[+.]/.test(local)) {
    throw new AppError('email_alias_refused');
  }
}

/**
 * Sends a code to an address. Whether the address belongs to an account is visible only in the mail: the response and
 * its time are the same. Throws `smtp_not_configured`, `mail_too_soon`, and the errors of `checkAddress`.
 */
export async function sendCode(deps: AccountsDeps, email: string, language: Language): Promise<void> {
  if (!deps.mail.isConfigured()) throw new AppError('smtp_not_configured');
  checkAddress(deps, email);
  const code = await deps.codes.issue('verify', email);
  const owner = await users.findByEmail(deps.db, email);
  const site = deps.settings.get('SystemName');
  // To the address that the code will prove, not to another spelling of it.
  const to = storedAddress(email);
  deps.mail.send(
    owner
      ? writeAccountMail(to, 'taken', { site }, keptLanguage(owner.setting) ?? language)
      : writeAccountMail(to, 'code', { site, code }, language),
  );
}

/**
 * Sends the owner of an address a link that resets their password. The response does not show whether the address is
 * known. Throws `smtp_not_configured`, `server_address_missing`, `mail_too_soon`.
 */
export async function askReset(deps: AccountsDeps, email: string, language: Language): Promise<void> {
  if (!deps.mail.isConfigured()) throw new AppError('smtp_not_configured');
  // The address of the site is never taken from the request, because its sender could make the link point elsewhere.
  const address = deps.settings.get('ServerAddress');
  if (address === '') throw new AppError('server_address_missing');
  const token = await deps.codes.issue('reset', email);
  const owner = await users.findByEmail(deps.db, email);
  if (!owner) return;
  const query = new URLSearchParams({ email: owner.email, token }).toString();
  const link = `${address}/user/reset?${query}`;
  const values = { site: deps.settings.get('SystemName'), link };
  deps.mail.send(writeAccountMail(owner.email, 'reset', values, keptLanguage(owner.setting) ?? language));
}

/** Length of the password that a reset creates: 12 hexadecimal digits (docs/compatibility.md#mail). */
const newPasswordBytes = 6;

/**
 * Sets a new password for the token of a reset link, once, and ends all sessions and the access token. Returns the
 * password. Throws `reset_link_invalid`.
 */
export async function resetPassword(
  deps: AccountsDeps,
  { email, token }: { email: string; token: string },
  language: Language,
): Promise<string> {
  if (!(await deps.codes.check('reset', email, token))) throw new AppError('reset_link_invalid');
  const owner = await users.findByEmail(deps.db, email);
  if (!owner) throw new AppError('reset_link_invalid');
  const password = randomBytes(newPasswordBytes).toString('hex');
  const hash = await deps.guard.hashPassword(password);
  await changingUser(deps, owner.id, async ({ db }) => {
    const locked = await lockUser(db, owner.id);
    if (!(await deps.codes.use(db, 'reset', email, token))) throw new AppError('reset_link_invalid');
    await writeUser(deps, db, locked, { password: hash, access_token_hash: null });
  });
  await deps.guard.endSessions(owner.id);
  const values = { site: deps.settings.get('SystemName') };
  deps.mail.send(writeAccountMail(owner.email, 'password', values, keptLanguage(owner.setting) ?? language));
  deps.log.info({ userId: owner.id }, 'a user reset their password by mail');
  return password;
}

/** An address and the code that was sent to it. */
export interface ProvenAddress {
  email: string;
  code: string;
}

/**
 * Uses up a code within a transaction; the address then belongs to the user. Throws `email_code_wrong`,
 * `email_taken`.
 */
export async function claimAddress(
  deps: AccountsDeps,
  db: Db,
  { email, code }: ProvenAddress,
): Promise<string> {
  if (!(await deps.codes.use(db, 'verify', email, code))) throw new AppError('email_code_wrong');
  if (await users.findByEmail(db, email)) throw new AppError('email_taken');
  return storedAddress(email);
}

/**
 * Binds an address to the user; the owner of the former address is notified there. Throws `email_code_wrong`,
 * `email_taken`, and the errors of `checkAddress`.
 */
export async function bindEmail(
  deps: AccountsDeps,
  actor: Actor,
  proven: ProvenAddress,
  language: Language,
): Promise<void> {
  checkAddress(deps, proven.email);
  if (!(await deps.codes.check('verify', proven.email, proven.code))) throw new AppError('email_code_wrong');
  const before = await changingUser(deps, actor.id, async ({ db }) => {
    const user = await lockUser(db, actor.id);
    const email = await claimAddress(deps, db, proven);
    await writeUser(deps, db, user, { email });
    return user.email;
  });
  if (before !== '') {
    deps.mail.send(writeAccountMail(before, 'address', { site: deps.settings.get('SystemName') }, language));
  }
  deps.log.info({ userId: actor.id }, 'a user bound an e-mail address');
}
