import { keptText, logType } from '@tollgate/contract';
import { users } from '../../../store/index.ts';
import { addReward, credit, type VerbContext } from '../../money/ledger/index.ts';
import type { Created } from './create.ts';
import type { AccountsDeps } from './deps.ts';
import { amountWords } from './words.ts';

/** Pays the rewards of an invitation to both users, each as a ledger entry named after the new user. */
export async function rewardInvitation(
  deps: AccountsDeps,
  money: VerbContext,
  invitee: Created,
  inviterId: number,
): Promise<void> {
  const toInvitee = deps.settings.get('QuotaForInvitee');
  const toInviter = deps.settings.get('QuotaForInviter');
  // The original does not count invitations without a reward (docs/compatibility.md#credits).
  await users.addInvited(money.db, inviterId);
  if (toInvitee > 0) {
    await credit(money, {
      txn: `invitee:${invitee.id}`,
      kind: 'invite',
      accountId: invitee.accountId,
      userId: invitee.id,
      amount: toInvitee,
      log: {
        type: logType.system,
        content: keptText('inviteeGift', { amount: amountWords(deps.settings, toInvitee) }),
      },
    });
  }
  if (toInviter > 0) {
    await addReward(money, {
      txn: `reward:${invitee.id}`,
      inviterId,
      amount: toInviter,
      log: {
        type: logType.system,
        content: keptText('inviterGift', { amount: amountWords(deps.settings, toInviter) }),
      },
    });
  }
}
