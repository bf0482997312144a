import { AppError } from '@tollgate/contract';
import { type Db, users } from '../../../store/index.ts';

/** Invisible and blank characters, and any space but single plain ones. */
const unseen = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800]|[^\S ]| {2}/u;

/** Full-width punctuation is what Chinese keyboards write. */
const punctuation = /[\p{P}\p{Sm}\p{Sc}]/gu;

/** Alphabets with letters that look like those of another of them. */
const alikeScripts = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
  /\p{Script=Coptic}/u,
];

/**
 * True for a name that people can tell from others: no invisible characters, no other forms of letters and digits (full
 * width, ligatures, letters with separate accents), and letters of one alphabet only among those that look alike.
 */
export function isPlainName(name: string): boolean {
  const letters = name.replace(punctuation, '');
  const isUsual = letters === letters.normalize('NFKC');
  return !unseen.test(name) && isUsual && alikeScripts.filter((script) => script.test(name)).length <= 1;
}

/**
 * Checks the name that a user (`userId`, 0 for a new one) will have from now on; a name given earlier stays as it is.
 * Users themselves must not choose one with an `@`: log-in would take the mail address of somebody else for it.
 * Throws `username_unclear`, `username_taken`.
 */
export async function checkNewName(
  db: Db,
  name: string,
  { userId = 0, isOwnChoice }: { userId?: number; isOwnChoice: boolean },
): Promise<void> {
  if (!isPlainName(name) || (isOwnChoice && name.normalize('NFKC').includes('@')))
    throw new AppError('username_unclear');
  if (await users.isUsernameTaken(db, name, userId)) throw new AppError('username_taken');
}
