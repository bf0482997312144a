import { AppError } from '@tollgate/contract';

let known: Promise<ReadonlySet<string>> | undefined;

/** The list comes with the first password that is made and not with the start, which most starts never need. */
const commonPasswords = (): Promise<ReadonlySet<string>> =>
  (known ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common']),
  ));

/** True for one character again and again. */
const isOneCharacter = (password: string): boolean => new Set(password).size === 1;

/** Throws `password_common` for a password that guessers try first, however its letters are capitalised. */
export async function refuseCommonPassword(password: string): Promise<void> {
  const plain = password.trim().toLowerCase();
  if (isOneCharacter(plain) || (await commonPasswords()).has(plain)) throw new AppError('password_common');
}
