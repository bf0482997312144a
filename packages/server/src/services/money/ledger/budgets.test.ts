import { deepEqual } from 'node:assert/strict';
import { beforeEach, expect, it } from 'vitest';
import { eachDialect } from '../../../store/each-dialect.ts';
import { budgets, type Store } from '../../../store/index.ts';
import { BookAudit } from './audit.ts';
import { checkBooks } from './checks.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { InsufficientQuota } from './plan/types.ts';
import {
  addBudget,
  addPerson,
  budgetCalls,
  bill,
  budgetFigures,
  reachedShares,
  readFigures,
  hold,
  holdRequest,
  logOf,
  openLedger,
  type Person,
  recordingLog,
  unique,
} from './testing/test-bed.ts';
import { refundUsage } from './verbs/refund-usage.ts';
import { rerate } from './verbs/rerate.ts';

const midnight = Date.UTC(2026, 10, 30) / 1_000;
const windowStart = (at: number): number => at - (at % 86_400);

/** Guarantees of a budget, on every database. */
eachDialect('a budget', ({ kind, open, openAgain }) => {
  let store: Store;
  let ledger: Ledger;
  let now: number;
  let person: Person;
  let budget: number;
  beforeEach(async () => {
    store = await open();
    now = midnight - 3_600;
    ledger = openLedger(store, { clock: () => now * 1_000 });
    person = await addPerson(store, ledger, { balance: 1_000_000 });
    budget = await addBudget(store, 100);
    person.budgets = [budget];
    return async () => {
      await ledger.close();
      deepEqual(await checkBooks(store.db), []);
      const audit = new BookAudit(store.db);
      await audit.run();
      deepEqual((await audit.whole()).findings, []);
    };
  });

  /** Takes a hold; undefined if it is refused. */
  const take = async (amount: number, of: Ledger = ledger): Promise<string | undefined> => {
    const id = unique('call');
    try {
      await hold(of, holdRequest(person, id, amount));
      return id;
    } catch (error) {
      if (!(error instanceof InsufficientQuota)) throw error;
      return undefined;
    }
  };
  const figures = () => budgetFigures(store, budget);

  it('grants ten of two hundred parallel calls with enough for ten, from two processes', async () => {
    const other =
      kind === 'sqlite' ? ledger : openLedger(await openAgain(), { node: 'other', clock: () => now * 1_000 });
    const held = await Promise.all(Array.from({ length: 200 }, (_, n) => take(10, n % 2 ? other : ledger)));
    expect(held.filter((id) => id !== undefined)).toHaveLength(10);
    expect(await figures()).toMatchObject({ used: 0, held: 100 });
    for (const [n, id] of held.entries())
      if (id !== undefined) await (n % 2 ? other : ledger).settle(bill(person, id, 10));
    expect(await figures()).toMatchObject({ used: 100, held: 0 });
    if (other !== ledger) await other.close();
  });

  it('is named by its refusal, with the end of its window', async () => {
    await expect((async () => hold(ledger, holdRequest(person, unique('r'), 101)))()).rejects.toMatchObject({
      reason: 'budget',
      isHeld: false,
      available: 100,
      budget: { id: budget, name: 'budget', end: midnight, timeZone: 'UTC', resetsIn: 3_600 },
    });
  });

  it('begins anew once with the first hold of a window, whichever process takes it and however often', async () => {
    const id = await take(100);
    await ledger.settle(bill(person, id!, 100));
    expect(await take(1)).toBeUndefined();
    now = midnight;
    const other =
      kind === 'sqlite' ? ledger : openLedger(await openAgain(), { node: 'other', clock: () => now * 1_000 });
    const held = await Promise.all(Array.from({ length: 40 }, (_, n) => take(10, n % 2 ? other : ledger)));
    expect(held.filter((each) => each !== undefined)).toHaveLength(10);
    expect(await figures()).toEqual({ used: 0, held: 100, start: midnight });
    // A clock that is set back does not reopen a past window.
    now = midnight - 10;
    expect(await take(1)).toBeUndefined();
    if (other !== ledger) await other.close();
  });

  it('counts a call in the window of its hold, and one that grows later with all it holds in the new one', async () => {
    const [short, long] = [await take(40), await take(40)];
    now = midnight;
    const fresh = await take(30);
    expect(await figures()).toMatchObject({ held: 30, start: midnight });
    await expect(ledger.extend(long!, 31)).rejects.toMatchObject({ reason: 'budget' });
    expect(await ledger.extend(long!, 30)).toBe(true);
    expect(await figures()).toMatchObject({ used: 0, held: 100 });
    // Yesterday's hold covers only 40, and today's window has no room for the rest.
    expect(await ledger.settle(bill(person, short!, 45))).toMatchObject({ charged: 40, writtenOff: 5 });
    await ledger.settle(bill(person, long!, 60));
    await ledger.release(fresh!);
    expect(await figures()).toMatchObject({ used: 60, held: 0 });
  });

  it('is never passed by a charge above its hold: the rest is a loss', async () => {
    const [first, second] = [await take(30), await take(50)];
    expect(await ledger.settle(bill(person, first!, 90))).toMatchObject({ charged: 50, writtenOff: 40 });
    expect(await ledger.settle(bill(person, second!, 50))).toMatchObject({ charged: 50, writtenOff: 0 });
    expect(await figures()).toMatchObject({ used: 100, held: 0 });
  });

  it('that is lowered below what runs keeps the holds that it granted', async () => {
    const id = await take(60);
    await ledger.change(async ({ db, touched }) => {
      await budgets.update(db, budget, { amount: 10 });
      touched.budgets.add(budget);
    });
    expect(await ledger.settle(bill(person, id!, 60))).toMatchObject({ charged: 60, writtenOff: 0 });
    expect(await take(1)).toBeUndefined();
  });

  it('grants ten of two hundred parallel calls if it has ten, and gives back those that fail', async () => {
    const counted = await addBudget(store, 0, { mode: 'soft', max_calls: 10 });
    person.budgets = [counted];
    const other =
      kind === 'sqlite' ? ledger : openLedger(await openAgain(), { node: 'other', clock: () => now * 1_000 });
    const by = (n: number): Ledger => (n % 2 ? other : ledger);
    const held = await Promise.all(Array.from({ length: 200 }, (_, n) => take(n % 3, by(n))));
    const granted = [...held.entries()].filter(([, id]) => id !== undefined);
    expect(granted).toHaveLength(10);
    for (const [n, id] of granted.slice(0, 4)) await by(n).settle(bill(person, id!, 1));
    for (const [n, id] of granted.slice(4)) await by(n).release(id!);
    expect(await budgetCalls(store, counted)).toBe(4);
    const again = await Promise.all(Array.from({ length: 20 }, (_, n) => take(0, by(n))));
    expect(again.filter((id) => id !== undefined)).toHaveLength(6);
    await expect((async () => hold(ledger, holdRequest(person, unique('r'), 0)))()).rejects.toMatchObject({
      isHeld: false,
      budget: { id: counted, calls: 10 },
    });
    // A call that runs into the next window counts there if it grows.
    const [kept] = again.filter((id) => id !== undefined);
    now = midnight;
    expect(await ledger.extend(kept!, 1)).toBe(true);
    expect(await budgetCalls(store, counted)).toBe(1);
    for (const [n, id] of again.entries()) if (id !== undefined) await by(n).release(id);
    expect(await budgetCalls(store, counted)).toBe(0);
    if (other !== ledger) await other.close();
  });

  it('of a run counts calls to their end, also after its own', async () => {
    const run = await addBudget(store, 100, {
      period: 'run',
      run: 'nightly',
      max_calls: 2,
      window_start: now,
      window_end: now + 60,
    });
    person.budgets = [run];
    const id = await take(40);
    now += 120;
    expect(await ledger.extend(id!, 20)).toBe(true);
    await expect(ledger.extend(id!, 41)).rejects.toMatchObject({ budget: { isRun: true, left: 40 } });
    expect(await ledger.settle(bill(person, id!, 110))).toMatchObject({ charged: 100, writtenOff: 10 });
    expect(await figures()).toMatchObject({ used: 0, held: 0 });
    expect(await budgetFigures(store, run)).toMatchObject({ used: 100, held: 0 });
  });

  it('gets back what is refunded in its window, and nothing of a window that is over', async () => {
    const [old, fresh] = [await take(40), await take(40)];
    await ledger.settle(bill(person, old!, 40));
    now = midnight;
    await ledger.extend(fresh!, 1);
    await ledger.settle(bill(person, fresh!, 41));
    for (const requestId of [old!, fresh!])
      await ledger.change((context) =>
        refundUsage(context, { txn: unique('refund'), requestId, amount: 15, log: null, hourly: null }),
      );
    expect(await figures()).toEqual({ used: 26, held: 0, start: midnight });
    expect(await take(75)).toBeUndefined();
    expect(await take(74)).toBeDefined();
  });

  it('bounds what a correction takes, and gets back what one gives back', async () => {
    const id = await take(40);
    await ledger.settle(bill(person, id!, 40));
    const correct = async (amount: number, ...others: string[]) => {
      const txn = unique('rerate');
      const charge = { txn, of: id!, others, amount, forgiven: 0, userId: person.userId, hourly: null };
      const input = { charges: [{ ...charge, log: () => null }], actorId: 1, reason: 'test' };
      return { txn, moved: (await ledger.change((context) => rerate(context, input)))[0] };
    };
    const more = await correct(70);
    expect(more.moved).toEqual({ moved: 60 });
    expect(await figures()).toMatchObject({ used: 100 });
    expect((await correct(-30, more.txn)).moved).toEqual({ moved: -30 });
    expect(await figures()).toMatchObject({ used: 70 });
    expect(await take(31)).toBeUndefined();
    expect(await take(30)).toBeDefined();
  });

  it('loses nothing when a process dies: what was delivered counts, the rest is given back', async () => {
    const log = recordingLog();
    const dying = createLedger({ store, log, clock: () => now * 1_000, node: 'test' });
    const [delivered, idle] = [await take(60, dying), await take(40, dying)];
    void dying.mark(delivered!, 25);
    await dying.flush();
    dying.abandon();
    expect(idle).toBeDefined();
    expect(await figures()).toMatchObject({ held: 100 });
    const next = openLedger(store, { clock: () => now * 1_000 });
    expect(await next.recover()).toEqual({ settled: 1, released: 1, charged: 25 });
    expect(await figures()).toMatchObject({ used: 25, held: 0 });
    await next.close();
  });

  it('applies beside others, and the call needs room in each', async () => {
    const narrow = await addBudget(store, 30, { period: 'month' });
    person.budgets = [budget, narrow];
    expect(await take(31)).toBeUndefined();
    const id = await take(30);
    await ledger.settle(bill(person, id!, 20));
    expect([await figures(), await budgetFigures(store, narrow)]).toMatchObject([
      { used: 20, held: 0 },
      { used: 20, held: 0 },
    ]);
    expect(await readFigures(store, person)).toMatchObject({ balance: 999_980, held: 0 });
  });

  it('that only counts refuses nothing, and one that was deleted or has ended neither', async () => {
    const soft = await addBudget(store, 10, { mode: 'soft' });
    const ended = await addBudget(store, 10, { period: 'term', window_end: now });
    const gone = await addBudget(store, 10);
    person.budgets = [soft, ended, gone];
    const running = await take(5);
    await ledger.change(async ({ db, touched }) => {
      await budgets.remove(db, gone);
      touched.budgets.add(gone);
    });
    const id = await take(500);
    await ledger.settle({ ...bill(person, id!, 400), log: logOf(person, id!, 0) });
    await ledger.settle(bill(person, running!, 5));
    expect(await budgetFigures(store, soft)).toMatchObject({ used: 405, held: 0 });
    expect(await budgetFigures(store, ended)).toMatchObject({ used: 0, held: 0 });
  });

  it('notes each share that it reaches once in a window, whatever is returned and charged again', async () => {
    const soft = await addBudget(store, 100, { mode: 'soft', shares: '50,80,100,200' });
    person.budgets = [soft];
    const spend = async (amount: number) => {
      const id = await take(amount);
      await ledger.settle(bill(person, id!, amount));
      return id!;
    };
    const first = windowStart(now);
    await spend(49);
    expect(await reachedShares(store, soft)).toEqual([]);
    const most = await spend(60);
    expect(await reachedShares(store, soft)).toEqual(
      [`${first}:100`, `${first}:50`, `${first}:80`].toSorted(),
    );
    await ledger.change((context) =>
      refundUsage(context, { txn: unique('refund'), requestId: most, log: null, hourly: null }),
    );
    await spend(60);
    expect(await reachedShares(store, soft)).toHaveLength(3);
    // The last charges of a day and the first of the next share a batch.
    const [late, rest] = [await take(91), await take(1)];
    now = midnight;
    await Promise.all([
      ledger.settle(bill(person, late!, 91)),
      ledger.settle(bill(person, rest!, 1)),
      ...[25, 25].map(async (amount) => spend(amount)),
    ]);
    expect(await reachedShares(store, soft)).toEqual(
      [`${first}:100`, `${first}:200`, `${first}:50`, `${first}:80`, `${midnight}:50`].toSorted(),
    );
  });

  it('of several processes notes a share once', async () => {
    const soft = await addBudget(store, 1_000, { mode: 'soft', shares: '1,50,99' });
    person.budgets = [soft];
    const other =
      kind === 'sqlite' ? ledger : openLedger(await openAgain(), { node: 'other', clock: () => now * 1_000 });
    await Promise.all(
      Array.from({ length: 100 }, async (_, n) => {
        const by = n % 2 ? other : ledger;
        const id = await take(10, by);
        await by.settle(bill(person, id!, 10));
      }),
    );
    expect(await reachedShares(store, soft)).toHaveLength(3);
    if (other !== ledger) await other.close();
  });

  it('notes a share that a correction reaches', async () => {
    const soft = await addBudget(store, 100, { mode: 'soft', shares: '50' });
    person.budgets = [soft];
    const id = await take(40);
    await ledger.settle(bill(person, id!, 40));
    const charge = {
      txn: unique('rerate'),
      of: id!,
      others: [],
      amount: 10,
      forgiven: 0,
      userId: person.userId,
    };
    const input = { charges: [{ ...charge, hourly: null, log: () => null }], actorId: 1, reason: 'test' };
    await ledger.change((context) => rerate(context, input));
    expect(await reachedShares(store, soft)).toEqual([`${windowStart(now)}:50`]);
  });

  it('is compared with its holds and charges', async () => {
    const [running, done] = [await take(20), await take(30)];
    await ledger.settle(bill(person, done!, 30));
    const audit = new BookAudit(store.db);
    await audit.run();
    const tamper = (column: 'used' | 'held', by: number) =>
      store.db
        .updateTable('budgets')
        .set((e) => ({ [column]: e(column, '+', by) }))
        .where('id', '=', budget)
        .execute();
    for (const [column, invariant] of [
      ['used', 'I22 budget used'],
      ['held', 'I22 budget held'],
    ] as const) {
      await tamper(column, 7);
      expect((await checkBooks(store.db)).map((one) => one.invariant)).toEqual([invariant]);
      expect((await audit.whole()).findings.map((one) => one.invariant)).toEqual([invariant]);
      await tamper(column, -7);
    }
    await ledger.release(running!);
  });
});
