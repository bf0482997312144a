import { AppError } from '@tollgate/contract';
import { type Db, users } from '../../../store/index.ts';

/** Invisible and blank characters, and any space but single plain ones. */
const unseen = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800]|[^\S ]| {2}/u;

/** Chinese keyboards write full-width punctuation. */
const punctuation = /[\p{P}\p{Sm}\p{Sc}]/gu;

/** Alphabets with letters that look like letters of another of these alphabets. */
const alikeScripts = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
  /\p{Script=Coptic}/u,
];

/**
 * True for a name that people can distinguish from others: no invisible characters, no other forms of letters and
 * digits (full width, ligatures, separate accents), and letters of only one of the similar alphabets.
 */
export function isPlainName(name: string): boolean {
  const letters = name.replace(punctuation, '');
  const isUsual = letters === letters.normalize('NFKC');
  return !unseen.test(name) && isUsual && alikeScripts.filter((script) => script.test(name)).length <= 1;
}

/**
 * Checks a new name of a user (`userId`, 0 for a new one); an unchanged name is valid. Users cannot choose a name with
 * `@`, because log-in would treat it as a mail address of another user. Throws `username_unclear`, `username_taken`.
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
