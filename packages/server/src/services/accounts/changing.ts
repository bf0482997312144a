import { AppError } from '@tollgate/contract';
import { changeMarks, type Db, dialectOf } from '../../store/index.ts';
import type { VerbContext } from '../ledger/index.ts';
import type { AccountsDeps } from './deps.ts';

/** The change mark of one user. */
export const userMark = (id: number): string => `user:${id}`;

/**
 * Runs a change of one user with its mark in one transaction; when it answers, this process remembers nothing old of
 * them, and other processes see the mark. Throws `username_taken` when that is what the database refused.
 */
export async function changingUser<T>(
  deps: Pick<AccountsDeps, 'db' | 'ledger' | 'forgetUser'>,
  userId: number,
  work: (money: VerbContext) => Promise<T>,
): Promise<T> {
  const result = await refusingTakenNames(deps.db, () =>
    deps.ledger.change(async (money) => {
      const done = await work(money);
      // Last, because another one that marks at the same time waits for it.
      await changeMarks.mark(money.db, [userMark(userId)]);
      return done;
    }),
  );
  deps.forgetUser(userId);
  return result;
}

/** Runs work in which the only unique column that a caller fills is the username; says so when it is taken. */
export async function refusingTakenNames<T>(db: Db, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (dialectOf(db).isUniqueViolation(error)) throw new AppError('username_taken', {}, error);
    throw error;
  }
}
