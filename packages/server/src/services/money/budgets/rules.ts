import { type Clock, seconds } from '../../../lib/clock.ts';
import { sharedRun } from '../../../lib/shared-run.ts';
import { type BudgetRule, budgets, changeMarks, type Db } from '../../../store/index.ts';

/** Facts of a call that decide which budgets apply; 0 for no key or organisation. */
export interface BudgetedCall {
  tokenId: number;
  userId: number;
  teamId: number;
  /** The group that it is billed in. */
  group: string;
  /** The model that it names. */
  model: string;
}

/** The budgets of the site, in memory. */
export interface BudgetRules {
  /** The ids of the budgets that apply to a call. Undefined if the site has no budgets. */
  readonly of: ((call: BudgetedCall) => readonly number[] | undefined) | undefined;
  /** The budgets that count tokens. */
  readonly inTokens: ReadonlySet<number>;
  reload(): Promise<void>;
}

/** The change mark of the budgets. */
export const budgetsMark = 'budgets';

type Conditions = Pick<BudgetRule, 'token_id' | 'user_id' | 'team_id' | 'group' | 'for_each'>;

/**
 * The most specific condition of a budget, used as its index. A call has five such keys, so a limit for each bounds the
 * number of budgets that apply to it.
 */
export function narrowest({
  token_id: token,
  user_id: user,
  team_id: team,
  group,
  for_each: each,
}: Conditions): string {
  if (each !== '') return `each ${each} ${team}`;
  if (token !== 0) return `token ${token}`;
  if (user !== 0) return `user ${user}`;
  if (team !== 0) return `team ${team}`;
  return group === '' ? 'all' : `group ${group}`;
}

const namesModel = (pattern: string, model: string): boolean =>
  pattern === '' || pattern === model || (pattern.endsWith('*') && model.startsWith(pattern.slice(0, -1)));

const fits = (rule: BudgetRule, call: BudgetedCall, now: number): boolean =>
  (rule.token_id === 0 || rule.token_id === call.tokenId) &&
  (rule.user_id === 0 || rule.user_id === call.userId) &&
  (rule.team_id === 0 || rule.team_id === call.teamId) &&
  (rule.group === '' || rule.group === call.group) &&
  namesModel(rule.model, call.model) &&
  // The cheaper model of a budget does not count on it.
  (rule.instead === '' || rule.instead !== call.model) &&
  (rule.period !== 'term' || now < rule.window_end);

/** Reads the budgets once, and again with `reload`. */
export async function createBudgetRules({ db, clock }: { db: Db; clock: Clock }): Promise<BudgetRules> {
  let known: ReadonlyMap<string, readonly BudgetRule[]> = new Map();
  const find = (call: BudgetedCall): readonly number[] | undefined => {
    const now = seconds(clock);
    const keys = [`group ${call.group}`, 'all'];
    if (call.tokenId !== 0) keys.push(`token ${call.tokenId}`);
    if (call.teamId !== 0) keys.push(`team ${call.teamId}`);
    keys.push(`user ${call.userId}`);
    const ids = keys.flatMap((key) =>
      (known.get(key) ?? []).flatMap((rule) => (fits(rule, call, now) ? [rule.id] : [])),
    );
    return ids.length === 0 ? undefined : ids;
  };
  const rules: { -readonly [Part in 'of' | 'inTokens']: BudgetRules[Part] } = {
    of: undefined,
    inTokens: new Set(),
  };
  const reload = sharedRun(async () => {
    const all = await budgets.rules(db);
    known = Map.groupBy(all, narrowest);
    rules.inTokens = new Set(all.flatMap(({ id, unit }) => (unit === 'tokens' ? [id] : [])));
    rules.of = known.size === 0 ? undefined : find;
  });
  await reload();
  return Object.assign(rules, { reload });
}

/**
 * Gives a new user, or a new member of an organisation, the budgets that are declared for each of them, in the transaction that adds them.
 * Returns true if there are any: the rules are read again after the commit.
 */
export async function giveBudgets(
  db: Db,
  person: { userId: number; teamId: number },
  now: number,
): Promise<boolean> {
  if ((await budgets.giveDefaults(db, person, now)) === 0) return false;
  await changeMarks.mark(db, [budgetsMark]);
  return true;
}
