import { budgets, type Store } from '../../../../store/index.ts';
import type { Ledger } from '../ledger.ts';
import { addMember, addTeam, type Member, memberFigures } from './team-bed.ts';
import { addBudget, addPerson, readFigures, hold, holdRequest, type Person, unique } from './test-bed.ts';

/** The place with the smallest free amount for a call. */
export const places = ['account', 'key', 'member', 'budget', 'sliding budget', 'budget in tokens'] as const;
export type Place = (typeof places)[number];

/** All other places have more than enough. */
const plenty = 1_000_000;

/** A payer with `amount` in one place and plenty in all others; only the account has little if that is the place. */
export async function addLimited(
  store: Store,
  ledger: Ledger,
  place: Place,
  amount = 16_000,
): Promise<Person> {
  if (place === 'account') return addPerson(store, ledger, { balance: amount });
  if (place === 'key') return addPerson(store, ledger, { balance: plenty, allowance: amount });
  if (place === 'budget') {
    const person = await addPerson(store, ledger, { balance: plenty });
    return { ...person, budgets: [await addBudget(store, amount, { max_calls: 1_000_000 })] };
  }
  if (place === 'budget in tokens') {
    const person = await addPerson(store, ledger, { balance: plenty });
    return { ...person, budgets: [await addBudget(store, amount, { unit: 'tokens' })] };
  }
  if (place === 'sliding budget') {
    const person = await addPerson(store, ledger, { balance: plenty });
    return { ...person, budgets: [await addBudget(store, amount, { period: 'hour', parts: '' })] };
  }
  const team = await addTeam(store, ledger, { balance: plenty });
  return addMember(store, ledger, team, { limit: amount, allowance: plenty });
}

/** Reads a payer's rows into a ledger, by a hold that is released. */
export async function showTo(ledger: Ledger, person: Person): Promise<void> {
  const id = unique('r');
  await hold(ledger, holdRequest(person, id, 1));
  await ledger.release(id);
}

/** The amount in a place by its row, and the held part. */
export async function rowAt(
  store: Store,
  person: Person,
  place: Place,
): Promise<{ left: number; held: number }> {
  if (place === 'member') {
    const { left, held } = await memberFigures(store, person as Member);
    return { left, held };
  }
  if (person.budgets) {
    const [id = 0] = person.budgets;
    const row = await budgets.find(store.db, id);
    return { left: (row?.amount ?? 0) - (row?.used ?? 0), held: row?.held ?? 0 };
  }
  const { balance, held, remain, tokenHeld } = await readFigures(store, person);
  return place === 'key' ? { left: remain, held: tokenHeld } : { left: balance, held };
}

/** Sets the amount of a place, like the console. */
export async function setAt(ledger: Ledger, person: Person, place: Place, to: number): Promise<void> {
  const { accountId, userId, tokenId } = person;
  const change = { to };
  const txn = unique('set');
  if (place === 'account')
    await ledger.adjust({ txn, accountId, userId, change, actorId: 1, reason: 'test' });
  else if (person.budgets) {
    const [id = 0] = person.budgets;
    await ledger.change(async ({ db, touched }) => {
      const row = await budgets.lock(db, id);
      await budgets.update(db, id, { amount: to + (row?.used ?? 0) });
      touched.budgets.add(id);
    });
  } else if (place === 'key') await ledger.grantToken({ txn, tokenId, change, actorId: 1 });
  else
    await ledger.grantLimit({
      txn,
      memberId: (person as Member).memberId,
      limit: to,
      since: 0,
      actorId: 1,
    });
}

/** True if a hold of this amount is granted before it is written; the hold is released. */
export async function isEarly(
  ledger: Ledger,
  person: Person,
  amount: number,
  upTo = amount,
): Promise<boolean> {
  const id = unique('r');
  const answer = ledger.reserve({ ...holdRequest(person, id, amount), upTo, upToTokens: upTo });
  await answer;
  await ledger.release(id);
  return !(answer instanceof Promise);
}
