import { AppError, keptText, logType } from '@tollgate/contract';
import { accounts, teamMembers, users } from '../../../store/index.ts';
import { InsufficientQuota, move } from '../../money/ledger/index.ts';
import type { Membership } from './access.ts';
import { changingTeam, type TeamsDeps } from './deps.ts';
import { amountWords } from './words.ts';

/**
 * Moves quota between a member's own wallet and the team's, in both directions: in by managers and the owner, out by
 * the owner only, who could also delete the team and get the same. Moves at most what no hold covers. Returns the
 * team's balance. Throws `balance_insufficient`.
 */
export async function moveQuota(
  deps: TeamsDeps,
  { team, member }: Membership,
  { quota, direction }: { quota: number; direction: 'in' | 'out' },
  requestId: string,
): Promise<number> {
  const isIn = direction === 'in';
  try {
    return await changingTeam(
      deps,
      team.id,
      async (money) => {
        const person = await users.find(money.db, member.user_id);
        if (!person) throw new AppError('user_not_found');
        await move(money, {
          txn: `team-${direction}:${requestId}`,
          from: isIn ? person.account_id : team.account_id,
          to: isIn ? team.account_id : person.account_id,
          amount: quota,
          userId: person.id,
          log: (amount) => ({
            type: logType.system,
            content: keptText(isIn ? 'teamFunded' : 'teamWithdrawn', {
              team: team.name,
              amount: amountWords(deps.settings, amount),
            }),
          }),
        });
        // With both wallets locked: a user who was removed a moment ago moves nothing.
        const self = await teamMembers.findLocked(money.db, team.id, person.id);
        if (!self || self.role < member.role) throw new AppError('team_role_insufficient');
        return (await accounts.find(money.db, team.account_id))?.balance ?? 0;
      },
      { note: { [direction]: quota } },
    );
  } catch (error) {
    if (!(error instanceof InsufficientQuota)) throw error;
    const available = amountWords(deps.settings, error.available);
    throw new AppError('balance_insufficient', { available }, error);
  }
}
