import { AppError, keptInEnglish, keptText, logType } from '@tollgate/contract';
import { randomText } from '../../../lib/random.ts';
import { dialectOf, users } from '../../../store/index.ts';
import { InsufficientQuota, transferReward as bookTransfer } from '../../money/ledger/index.ts';
import type { AccountsDeps, Actor } from './deps.ts';
import { amountWords } from './words.ts';

/** Characters of an invitation code (docs/compatibility.md#credits). */
const codeLength = 4;
/** Random codes tried before giving up; there are 14 million codes. */
const maxDraws = 20;

/** A user's invitation code; created if there is none. */
export async function inviteCode({ db }: Pick<AccountsDeps, 'db'>, userId: number): Promise<string> {
  const user = await users.find(db, userId);
  if (!user) throw new AppError('user_not_found');
  if (user.aff_code) return user.aff_code;
  for (let draw = 0; draw < maxDraws; draw += 1) {
    const code = randomText(codeLength);
    try {
      await users.update(db, userId, { aff_code: code });
      return code;
    } catch (error) {
      if (!dialectOf(db).isUniqueViolation(error)) throw error;
    }
  }
  throw new AppError('internal');
}

/** Moves an invitation reward to the balance. Throws `transfer_too_small`, `reward_insufficient`. */
export async function transferReward(
  deps: AccountsDeps,
  actor: Actor,
  amount: number,
  requestId: string,
): Promise<void> {
  const minimum = Math.ceil(deps.settings.get('QuotaPerUnit'));
  if (amount < minimum) {
    const zh = amountWords(deps.settings, minimum);
    throw new AppError('transfer_too_small', { minimum: { zh, en: keptInEnglish(zh) } });
  }
  try {
    await deps.ledger.change((money) =>
      bookTransfer(money, {
        txn: `transfer:${requestId}`,
        userId: actor.id,
        amount,
        log: {
          type: logType.system,
          content: keptText('rewardMoved', { amount: amountWords(deps.settings, amount) }),
        },
      }),
    );
  } catch (error) {
    if (error instanceof InsufficientQuota) throw new AppError('reward_insufficient', {}, error);
    throw error;
  }
}
