import { beforeEach, expect, it } from 'vitest';
import { eachDialect } from '../../../store/each-dialect.ts';
import { budgets, type Store, tokens } from '../../../store/index.ts';
import type { AlarmSubject } from '../../site/notify/index.ts';
import {
  addBudget,
  addPerson,
  bill,
  hold,
  holdRequest,
  openLedger,
  type Person,
  unique,
} from '../../money/ledger/testing/test-bed.ts';
import { createLedger, type Ledger } from '../../money/ledger/index.ts';
import { warnOfBudgets } from './warn-of-budgets.ts';

const midnight = Date.UTC(2026, 10, 30) / 1_000;

eachDialect('shares of budgets', ({ open }) => {
  let store: Store;
  let ledger: Ledger;
  let now: number;
  let person: Person;
  let alarms: string[];
  let notices: [number, number][];
  beforeEach(async () => {
    store = await open();
    now = midnight - 60;
    ledger = openLedger(store, { clock: () => now * 1_000 });
    person = await addPerson(store, ledger, { balance: 1_000_000 });
    notices = [];
    return () => ledger.close();
  });

  const warn = (): Promise<void> =>
    warnOfBudgets({
      db: store.db,
      alarms: {
        sync: async (found) => {
          const all: AlarmSubject[] = [...(found.budget_share ?? []), ...(found.budget_reached ?? [])];
          alarms = all.map(({ subject, detail }) => `${subject} ${detail}`.trim());
        },
      },
      notifier: { budgetShare: (userId, { share }) => void notices.push([userId, share]) },
      clock: () => now * 1_000,
    });
  const spend = async (amount: number): Promise<void> => {
    const id = unique('call');
    await hold(ledger, holdRequest(person, id, amount));
    await ledger.settle(bill(person, id, amount));
  };
  const shares = { mode: 'soft', shares: '50,80,100' };

  it('are an alarm of operators while they last, and one notice of the person in each period', async () => {
    const id = await addBudget(store, 100, { ...shares, user_id: person.userId });
    const [today, tomorrow] = [midnight - 86_400, midnight];
    person.budgets = [id];
    await warn();
    expect(alarms).toEqual([]);
    await spend(85);
    await warn();
    expect(alarms).toEqual([`${id}@${today}:50 50 %`, `${id}@${today}:80 80 %`]);
    await warn();
    expect(alarms).toEqual([`${id}@${today}:80 80 %`]);
    await spend(15);
    // The period ends before anybody looks.
    now = midnight;
    await spend(60);
    await warn();
    expect(alarms).toEqual([`${id}@${tomorrow}:50 50 %`, `${id}@${today}`]);
    await warn();
    expect(alarms).toEqual([`${id}@${tomorrow}:50 50 %`]);
    const { userId } = person;
    expect(notices).toEqual([50, 80, 50, 100].map((share) => [userId, share]));
    await ledger.change(async ({ db, touched }) => {
      await budgets.update(db, id, { amount: 1_000 });
      touched.budgets.add(id);
    });
    await warn();
    expect(alarms).toEqual([]);
  });

  it('of a sliding budget are an alarm while its use lasts, and one notice in a stretch of its length', async () => {
    now = midnight + 60;
    const id = await addBudget(store, 100, { ...shares, period: 'day', parts: '', user_id: person.userId });
    person.budgets = [id];
    await spend(60);
    await warn();
    expect([alarms, notices]).toEqual([[`${id}@${midnight}:50 50 %`], [[person.userId, 50]]]);
    now = midnight + 86_400;
    await spend(0);
    await warn();
    expect(alarms).toHaveLength(1);
    // The hour of the charge is a day old.
    now += 3_600;
    await warn();
    expect(alarms).toEqual([]);
    await spend(50);
    await warn();
    expect([alarms, notices.length]).toEqual([[`${id}@${midnight + 86_400}:50 50 %`], 2]);
    const rows = await store.db
      .selectFrom('budget_warnings')
      .selectAll()
      .where('budget_id', '=', id)
      .execute();
    expect(rows.map(({ window_start }) => window_start)).toContain(midnight + 86_400);
  });

  it('of budgets that people set for themselves are told to them alone', async () => {
    const key = await tokens.find(store.db, person.tokenId);
    const own = await addBudget(store, 10, { ...shares, set_by: 'own', token_id: person.tokenId });
    person.budgets = [own];
    await spend(10);
    await warn();
    expect(alarms).toEqual([]);
    expect(notices).toEqual([50, 80, 100].map((share) => [key!.user_id, share]));
    await budgets.remove(store.db, own);
    expect(
      await store.db.selectFrom('budget_warnings').selectAll().where('budget_id', '=', own).execute(),
    ).toEqual([]);
  });

  it('are told by the next process if one dies after the charge', async () => {
    const id = await addBudget(store, 100, shares);
    person.budgets = [id];
    const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
    const dying = createLedger({ store, log, clock: () => now * 1_000, node: 'dying' });
    const call = unique('call');
    await hold(dying, holdRequest(person, call, 80));
    await dying.settle(bill(person, call, 80));
    dying.abandon();
    await warn();
    expect(alarms).toHaveLength(2);
    expect(notices).toEqual([]);
  });
});
