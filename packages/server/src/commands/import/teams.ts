import { maxTeamName, teamRole, teamStatus, usualSharesOf } from '@tollgate/contract';
import { seconds } from '../../lib/clock.ts';
import { windowAt } from '../../lib/calendar-windows.ts';
import { budgetsMark } from '../../services/money/budgets/index.ts';
import type { OpeningUse, OpeningWallet } from '../../services/money/ledger/index.ts';
import {
  budgets as budgetRows,
  changeMarks,
  type Db,
  movedIn,
  teamMembers,
  teams,
} from '../../store/index.ts';
import type { Ids } from './kit/ids.ts';
import { counting } from './kit/report.ts';
import type { SourceBudget } from './kit/translated.ts';
import type { Move } from './move-parts.ts';
import { importName } from './target.ts';

/** An organisation here, by its id in the source. */
export type MovedTeams = ReadonlyMap<number, { id: number; accountId: number }>;

/** Writes the organisations with their members and empty wallets. `firstAccount` is a free id, as are those after it. */
export async function moveTeams(
  db: Db,
  { data, report }: Move,
  ids: Ids,
  firstAccount: number,
): Promise<MovedTeams> {
  const moved = new Map<number, { id: number; accountId: number }>();
  if (data.teams.length === 0) return moved;
  await movedIn.addAccounts(
    db,
    data.teams.map((_, index) => firstAccount + index),
  );
  const count = counting(report, 'organisations', data.teams.length);
  for (const [index, team] of data.teams.entries()) {
    const { ownerId, createdTime: created } = team;
    const accountId = firstAccount + index;
    const id = await teams.create(db, {
      name: team.name.slice(0, maxTeamName),
      account_id: accountId,
      owner_id: ids.user(ownerId),
      group: 'default',
      status: team.isOn ? teamStatus.enabled : teamStatus.banned,
      created_time: created,
    });
    for (const { userId, isManager } of team.members) {
      const rank = userId === ownerId ? teamRole.owner : isManager ? teamRole.manager : teamRole.member;
      await teamMembers.create(db, {
        team_id: id,
        user_id: ids.user(userId),
        role: rank,
        joined_time: created,
      });
    }
    moved.set(team.id, { id, accountId });
  }
  count.wrote(moved.size);
  return moved;
}

/** The wallets of organisations in the ledger. */
export const teamWallets = ({ data, source }: Move, moved: MovedTeams): OpeningWallet[] =>
  data.teams.map(({ id, balance, used }) => ({
    txn: `${importName(source)}:team:${id}`,
    userId: 0,
    accountId: moved.get(id)!.accountId,
    balance,
    debt: 0,
    used,
    reward: 0,
  }));

/** End of a budget that never begins again, as Unix seconds: 2100. */
const never = 4_102_444_800;

/** Writes the budgets without use; returns what the ledger has to count on them. `payer` finds the account of one. */
export async function moveBudgets(
  db: Db,
  { data, source, report, clock }: Move,
  ids: Ids,
  { teams: moved, payer }: { teams: MovedTeams; payer: (budget: SourceBudget) => number },
): Promise<OpeningUse[]> {
  if (data.budgets.length === 0) return [];
  const count = counting(report, 'budgets', data.budgets.length);
  const now = seconds(clock);
  const uses: OpeningUse[] = [];
  for (const [index, budget] of data.budgets.entries()) {
    const { name, tokenId, userId, teamId, model, period, unit, mode, amount, maxCalls, used } = budget;
    const window = period === 'term' ? { start: now, end: never } : windowAt(period, 'UTC', now);
    const id = await budgetRows.create(db, {
      name: name.slice(0, 100),
      set_by: 'site',
      token_id: tokenId === 0 ? 0 : ids.token(tokenId),
      user_id: userId === 0 ? 0 : ids.user(userId),
      team_id: teamId === 0 ? 0 : (moved.get(teamId)?.id ?? 0),
      group: budget.group ?? '',
      model,
      period,
      time_zone: 'UTC',
      mode,
      shares: usualSharesOf(period).join(','),
      unit,
      amount,
      enabled: 1,
      window_start: window.start,
      window_end: window.end,
      created_time: now,
      max_calls: maxCalls,
    });
    const txn = `import-budget:${source.program}:${index + 1}`;
    if (used > 0) uses.push({ txn, accountId: payer(budget), budgetId: id, start: window.start, used });
  }
  await changeMarks.mark(db, [budgetsMark]);
  count.wrote(data.budgets.length);
  return uses;
}
