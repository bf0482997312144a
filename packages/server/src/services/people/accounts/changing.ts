import { AppError } from '@tollgate/contract';
import { changeMarks, type Db, dialectOf } from '../../../store/index.ts';
import type { VerbContext } from '../../money/ledger/index.ts';
import type { AccountsDeps } from './deps.ts';

/** The change mark of one user. */
export const userMark = (id: number): string => `user:${id}`;

/**
 * Runs a change of one user with its change mark in one transaction. When it resolves, this process has dropped
 * cached data of the user, and other processes see the mark. Throws `username_taken` if the database reports that.
 */
export async function changingUser<T>(
  deps: Pick<AccountsDeps, 'db' | 'ledger' | 'forgetUser'>,
  userId: number,
  work: (money: VerbContext) => Promise<T>,
): Promise<T> {
  const result = await refusingTakenNames(deps.db, () =>
    deps.ledger.change(async (money) => {
      const done = await work(money);
      // Last, because another transaction with a mark waits for it.
      await changeMarks.mark(money.db, [userMark(userId)]);
      return done;
    }),
  );
  deps.forgetUser(userId);
  return result;
}

/** Runs work in which the username is the only unique column with a value of the caller; throws if it is taken. */
export async function refusingTakenNames<T>(db: Db, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (dialectOf(db).isUniqueViolation(error)) throw new AppError('username_taken', {}, error);
    throw error;
  }
}
