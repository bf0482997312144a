import { redemptionStatus } from '@tollgate/contract';
import { checkBooks } from '../../services/money/ledger/index.ts';
import { type Db, ledger, movedIn, type MoneyThere, tokens as tokenRows } from '../../store/index.ts';
import { adoptedHash } from '../../services/people/tokens/index.ts';
import type { Ids } from './kit/ids.ts';
import type { Move } from './move-parts.ts';
import type { SourceData } from './read-source.ts';
import { ImportRefused, type Sum } from './kit/report.ts';
import { refilled } from './move-subscriptions.ts';
import { importName } from './target.ts';
import { allowanceOf, type SourceToken } from './tokens.ts';

/** Number of keys that are looked up like a caller's key. */
const sampled = 10;

interface Moved {
  ids: Ids;
  tokens: readonly SourceToken[];
  /** Money figures before the import. */
  before: MoneyThere;
}

/** Compares the database with the source, and the books with themselves. Throws ImportRefused. */
export async function checkMoved(db: Db, move: Move, { ids, tokens, before }: Moved): Promise<void> {
  const { report } = move;
  report.sums.push(...(await sumMoved(db, move, tokens, before)));
  const wrong = report.sums.filter(({ source, target }) => source !== target);
  if (wrong.length > 0)
    throw new ImportRefused(
      `sums differ: ${wrong.map(({ what, source, target }) => `${what} ${source} there, ${target} here`).join('; ')}`,
      report,
    );
  const findings = await checkBooks(db);
  if (findings.length > 0)
    throw new ImportRefused(
      `the books would not agree: ${findings.map(({ detail }) => detail).join('; ')}`,
      report,
    );
  report.keysCompared = await compareKeys(db, tokens, ids);
}

async function sumMoved(
  db: Db,
  { data, source }: Move,
  tokens: readonly SourceToken[],
  before: MoneyThere,
): Promise<Sum[]> {
  const after = await movedIn.moneyThere(db);
  const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0);
  const subscriptions = sum(data.subscriptions.map(({ left }) => left));
  const refills = refilled(data);
  const ofTeams = sum(data.teams.map(({ balance }) => balance));
  const positive = sum(data.users.map(({ quota }) => Math.max(0, quota)));
  const entries = await ledger.sumOfNames(db, importName(source));
  const limited = tokens.filter(({ isUnlimited }) => !isUnlimited).map(allowanceOf);
  return [
    {
      what: subscriptions > 0 ? 'Balances, with what was left of subscriptions' : 'Balances',
      source: positive + ofTeams + subscriptions,
      target: after.balances - before.balances,
    },
    {
      what: 'Debts of users, written off',
      source: sum(data.users.map(({ quota }) => Math.max(0, -quota))),
      target: 0 - entries.writeoff,
    },
    {
      what: data.teams.length > 0 ? 'Used before by users and organisations' : 'Used before by users',
      source: sum([...data.users, ...data.teams].map(({ used }) => used)),
      target: entries.former,
    },
    { what: 'Left on limited keys', source: sum(limited), target: after.allowances - before.allowances },
    {
      what: 'Codes nobody has used yet',
      source: sum(data.codes.map(({ quota, status }) => (status === redemptionStatus.unused ? quota : 0))),
      target: after.codes - before.codes,
    },
    {
      what: 'Invitation rewards',
      source: sum(data.users.map(({ reward }) => reward)),
      target: after.rewards - before.rewards,
    },
    ...(refills.length > 0
      ? [
          {
            what: 'Refills of subscriptions to come',
            source: sum(refills.map(({ refills: { amount, count } }) => amount * count)),
            target: after.refills - before.refills,
          },
        ]
      : []),
    ...(data.budgets.length > 0 ? sumBudgets(data.budgets, before, after) : []),
  ];
}

/** Amounts and use of the budgets in quota. */
function sumBudgets(moved: SourceData['budgets'], before: MoneyThere, after: MoneyThere): Sum[] {
  const inQuota = moved.filter(({ unit }) => unit === 'quota');
  const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0);
  return [
    {
      what: 'Budgets',
      source: sum(inQuota.map(({ amount }) => amount)),
      target: after.budgets - before.budgets,
    },
    {
      what: 'Used of budgets',
      source: sum(inQuota.map(({ used }) => used)),
      target: after.budgetsUsed - before.budgetsUsed,
    },
  ];
}

/**
 * Looks up some keys as callers send them; returns the number. Throws if one has another owner than in the source.
 */
async function compareKeys(db: Db, tokens: readonly SourceToken[], ids: Ids): Promise<number> {
  const step = Math.max(1, Math.ceil(tokens.length / sampled));
  const some = tokens.filter((_, index) => index % step === 0);
  for (const token of some) {
    const row = await tokenRows.findByHash(db, adoptedHash(token.key));
    const isSame =
      row?.user_id === ids.user(token.userId) &&
      row.group === token.group &&
      row.unlimited_quota === (token.isUnlimited ? 1 : 0) &&
      row.remain_quota === allowanceOf(token) &&
      row.used_quota === token.used;
    if (!isSame) throw new ImportRefused(`key ${token.id} of the source would not be the same key here`);
  }
  return some.length;
}
