import { type Clock, seconds } from '../../../lib/clock.ts';
import { type BudgetWarning, budgetWarnings, type Db, teams, tokens } from '../../../store/index.ts';
import type { Alarms, AlarmSubject, Notifier } from '../../site/notify/index.ts';

interface WarnDeps {
  db: Db;
  alarms: Pick<Alarms, 'sync'>;
  notifier: Pick<Notifier, 'budgetShare'>;
  clock: Clock;
}

/** Maximum number of warnings in a run; the rest follows in the next ones. */
const warnedAtOnce = 400;
/** The share of a budget that is used up. */
const whole = 100;

/**
 * Warns of the shares that budgets have reached. The ledger stores each share once for a window, in the transaction of the charge.
 * Operators get an alarm for budgets that administrators set, which ends with the window, and the person whose calls are
 * counted gets a notice.
 */
export async function warnOfBudgets({ db, alarms, notifier, clock }: WarnDeps): Promise<void> {
  const warnings = await budgetWarnings.standing(db, seconds(clock), warnedAtOnce);
  const fresh = warnings.filter(({ told }) => told === 0);
  const alarming = warnings.filter((warning) => warning.set_by === 'site' && isShown(warning, warnings));
  await alarms.sync({
    budget_reached: alarming.filter(({ share }) => share === whole).map(subjectOf),
    budget_share: alarming.filter(({ share }) => share !== whole).map(subjectOf),
  });
  for (const warning of fresh) {
    const owner = await findOwner(db, warning);
    if (owner !== undefined) notifier.budgetShare(owner, warning);
  }
  if (fresh.length === 0) return;
  await budgetWarnings.noteTold(db, fresh);
  await budgetWarnings.removeFormer(db);
}

/** True for a new warning, and for the highest share of a budget and the newest warning of it. */
const isShown = ({ id, share, start, told }: BudgetWarning, all: readonly BudgetWarning[]): boolean =>
  told === 0 ||
  !all.some(
    (other) => other.id === id && (other.share > share || (other.share === share && other.start > start)),
  );

/** Each window has an alarm of its own, so that none is hidden behind that of the window before. */
const subjectOf = ({ id, name, start, share }: BudgetWarning): AlarmSubject =>
  share === whole
    ? { subject: `${id}@${start}`, name, detail: '' }
    : { subject: `${id}@${start}:${share}`, name, detail: `${share} %` };

/** The person whose calls a budget counts, or the owner of the organisation; undefined if it counts those of many. */
async function findOwner(db: Db, warning: BudgetWarning): Promise<number | undefined> {
  const { token_id: tokenId, user_id: userId, team_id: teamId } = warning;
  if (tokenId !== 0) return (await tokens.find(db, tokenId))?.user_id;
  if (userId !== 0) return userId;
  return teamId === 0 ? undefined : (await teams.find(db, teamId))?.owner_id;
}
