import { AppError, type ErrorCode } from '@tollgate/contract';
import { seconds } from '../../../lib/clock.ts';
import { factorTries } from '../../../store/index.ts';
import type { FactorsDeps } from './deps.ts';

/**
 * After five wrong codes, an account has to wait, regardless of addresses and processes. With three of a million codes
 * valid, a day of guessing succeeds once in several thousand cases. Passkeys cannot be guessed and do not wait.
 */
const limit = { every: 5, firstSeconds: 300, laterSeconds: 3_600 };

/**
 * Checks a code: the attempt is counted before `isRight` runs, and a correct code resets the count. Throws
 * `second_factor_locked`, `second_factor_wrong`.
 */
export async function checkCodeWithLimit(
  deps: Pick<FactorsDeps, 'db' | 'audit' | 'clock' | 'log'>,
  userId: number,
  isRight: () => Promise<boolean>,
): Promise<void> {
  const { db, clock } = deps;
  const now = seconds(clock);
  if (!(await factorTries.countTry(db, userId, limit, now))) {
    const row = await factorTries.find(db, userId);
    await noteRefusal(deps, userId, 'second_factor_locked');
    throw new AppError('second_factor_locked', { retryAfter: Math.max(1, (row?.locked_until ?? now) - now) });
  }
  if (!(await isRight())) {
    await noteRefusal(deps, userId, 'second_factor_wrong');
    throw new AppError('second_factor_wrong');
  }
  await factorTries.forget(db, userId);
}

/** Records a refused code in the audit log and the process log. */
async function noteRefusal(
  { db, audit, log }: Pick<FactorsDeps, 'db' | 'audit' | 'log'>,
  userId: number,
  outcome: ErrorCode,
): Promise<void> {
  log.warn({ userId, outcome }, 'a code of the second factor was refused');
  await audit.record(db, { kind: 'second_factor.check', outcome, target: { type: 'user', id: userId } });
}

/** True while the account has to wait because of wrong codes. */
export async function isLocked(
  { db, clock }: Pick<FactorsDeps, 'db' | 'clock'>,
  userId: number,
): Promise<boolean> {
  const row = await factorTries.find(db, userId);
  return row !== undefined && row.locked_until > seconds(clock);
}
