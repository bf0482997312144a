import type { Store } from '../../../../store/index.ts';
import type { ModelBudget, ModelPerson } from './model.ts';
import { addMember, addTeam } from './team-bed.ts';
import type { Ledger } from '../ledger.ts';
import { addBudget, addPerson, type Person } from './test-bed.ts';

/** A payer of a history, in the real ledger and in the model. */
export interface HistoryPayer {
  real: Person;
  model: ModelPerson;
}

const newPerson = (
  wallet: ModelPerson['wallet'],
  key: Pick<ModelPerson, 'remain' | 'limited'>,
): ModelPerson => ({ wallet, ...key, own: 0, reward: 0, used: 0, requests: 0 });

/** Payers of a history: three people with keys of different limits, and three members of a team. */
export async function addHistoryPayers(store: Store, ledger: Ledger): Promise<HistoryPayer[]> {
  const people: HistoryPayer[] = [];
  for (const allowance of [null, 150, 60]) {
    const real = await addPerson(store, ledger, { balance: 200, allowance });
    const limited = allowance !== null;
    people.push({ real, model: newPerson({ balance: 200 }, { remain: allowance ?? 0, limited }) });
  }
  const all = [...people, ...(await addMembers(store, ledger))];
  await addBudgets(store, all);
  return all;
}

/** Three members of one wallet: one with a limit, one with a limited key, one with both. */
async function addMembers(store: Store, ledger: Ledger): Promise<HistoryPayer[]> {
  const team = await addTeam(store, ledger, { balance: 300 });
  const wallet = { balance: 300 };
  const members: HistoryPayer[] = [];
  for (const [limit, allowance] of [
    [120, null],
    [null, 90],
    [150, 80],
  ] as const) {
    const real = await addMember(store, ledger, team, { limit, allowance, own: 50 });
    const key = { remain: allowance ?? 0, limited: allowance !== null };
    const member = { left: limit ?? 0, limited: limit !== null };
    members.push({ real, model: { ...newPerson(wallet, key), member, own: 50 } });
  }
  return members;
}

/**
 * Of the first three, one has a hard budget and one a soft one; a member shares a further hard one with the third. Three
 * more are sliding, and the last ones count tokens.
 */
async function addBudgets(store: Store, people: readonly HistoryPayer[]): Promise<void> {
  for (const [amount, hard, owners, shares, sliding, inTokens = false] of [
    [100, true, [0], [50, 80, 100], false],
    [50, false, [1, 3], [33, 100, 250], false],
    [140, true, [2, 4], [100], false],
    [30, true, [4], [], false],
    [110, true, [1, 2, 5], [50, 100], true],
    [40, true, [5], [80], true],
    [60, false, [0], [50, 150], true],
    [100, true, [0, 3], [50, 100], false, true],
    [150, true, [2, 3, 5], [80], true, true],
    [80, false, [1, 5], [100, 200], false, true],
  ] as const) {
    const id = await addBudget(store, amount, {
      period: 'hour',
      mode: hard ? 'hard' : 'soft',
      unit: inTokens ? 'tokens' : 'quota',
      shares: shares.join(','),
      max_calls: sliding ? 0 : 1_000_000,
      parts: sliding ? '' : null,
    });
    const window = { used: 0, start: 0, end: 0, ...(sliding && { charges: [] }) };
    const budget: ModelBudget = { amount, inTokens, hard, shares, reached: new Set(), ...window };
    for (const index of owners) {
      const { real, model } = people[index]!;
      real.budgets = [...(real.budgets ?? []), id];
      model.budgets = [...(model.budgets ?? []), budget];
    }
  }
}
