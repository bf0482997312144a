import { AppError } from '@tollgate/contract';

let known: Promise<ReadonlySet<string>> | undefined;

/** The list is loaded with the first password that is set, because most processes never need it. */
const commonPasswords = (): Promise<ReadonlySet<string>> =>
  (known ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common']),
  ));

/** True for a single character repeated. */
const isOneCharacter = (password: string): boolean => new Set(password).size === 1;

/** Throws `password_common` for a common password, regardless of case. */
export async function refuseCommonPassword(password: string): Promise<void> {
  const plain = password.trim().toLowerCase();
  if (isOneCharacter(plain) || (await commonPasswords()).has(plain)) throw new AppError('password_common');
}
