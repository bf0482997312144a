import { AppError, type Language, role } from '@tollgate/contract';
import { users } from '../../../store/index.ts';
import { createPerson } from './create.ts';
import type { AccountsDeps } from './deps.ts';
import { claimAddress, type ProvenAddress } from './email.ts';
import { rewardInvitation } from './invitation-gift.ts';

export interface Registration {
  username: string;
  password: string;
  email: string;
  emailCode: string;
  affCode: string;
  /** The new user's language, for the name of a first token. */
  language: Language;
}

/** Signs up an ordinary user, if the site allows it (docs/compatibility.md#mail). */
export async function register(deps: AccountsDeps, input: Registration): Promise<void> {
  const { settings } = deps;
  if (!settings.get('RegisterEnabled')) throw new AppError('registration_disabled');
  if (!settings.get('PasswordRegisterEnabled')) throw new AppError('password_registration_disabled');
  const proven = await provenAddress(deps, input);
  const inviter = await users.findByAffCode(deps.db, input.affCode);
  const person = {
    username: input.username,
    password: input.password,
    displayName: '',
    role: role.common,
    email: '',
    inviterId: inviter?.id ?? 0,
    gift: settings.get('QuotaForNewUser'),
    isOwnName: true,
  };
  const id = await createPerson(deps, person, async (money, created) => {
    if (proven)
      await users.update(money.db, created.id, { email: await claimAddress(deps, money.db, proven) });
    if (inviter) await rewardInvitation(deps, money, created, inviter.id);
  });
  deps.log.info({ userId: id }, 'a user registered');
  await deps.welcome({ id, username: input.username }, input.language);
}

/** The address to store if its code is right; undefined if addresses are not verified. */
async function provenAddress(
  deps: AccountsDeps,
  { email, emailCode }: Registration,
): Promise<ProvenAddress | undefined> {
  if (!deps.settings.get('EmailVerificationEnabled')) return undefined;
  if (email === '' || emailCode === '') throw new AppError('email_code_missing');
  if (!(await deps.codes.check('verify', email, emailCode))) throw new AppError('email_code_wrong');
  return { email, code: emailCode };
}
