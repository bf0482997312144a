import { deepEqual } from 'node:assert/strict';
import fc from 'fast-check';
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
  bill,
  budgetFigures,
  hold,
  holdRequest,
  openLedger,
  type Person,
  reachedShares,
  recordingLog,
  unique,
} from './testing/test-bed.ts';
import { refundUsage } from './verbs/refund-usage.ts';
import { rerate } from './verbs/rerate.ts';

/** A full hour, which begins a part of five minutes. */
const start = 1_790_002_800;
const minutes = 60;
const hour = 3_600;
/** Histories per database. */
const runs = Number(process.env['FUZZ_RUNS'] ?? 8);

/** Guarantees of a budget for any hour in a row, on every database. */
eachDialect('a sliding budget', ({ kind, open, openAgain }) => {
  let store: Store;
  let ledger: Ledger;
  let other: Ledger;
  let now: number;
  let person: Person;
  let budget: number;
  const clock = () => now * 1_000;
  const sliding = { period: 'hour', parts: '' };
  beforeEach(async () => {
    store = await open();
    now = start;
    ledger = openLedger(store, { clock });
    other = kind === 'sqlite' ? ledger : openLedger(await openAgain(), { node: 'other', clock });
    person = await addPerson(store, ledger, { balance: 1_000_000_000 });
    budget = await addBudget(store, 100, sliding);
    person.budgets = [budget];
    return async () => {
      await ledger.close();
      if (other !== ledger) await other.close();
      deepEqual(await checkBooks(store.db), []);
      const audit = new BookAudit(store.db);
      await audit.run();
      deepEqual((await audit.whole()).findings, []);
    };
  });

  const by = (n: number): Ledger => (n % 2 ? other : ledger);
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
  const spend = async (amount: number): Promise<string> => {
    const id = await take(amount);
    await ledger.settle(bill(person, id!, amount));
    return id!;
  };
  const parts = async (): Promise<string | null> => (await budgets.find(store.db, budget))!.parts;

  it(
    'is never passed in any hour, whatever two processes hold, extend and charge',
    { timeout: 600_000 },
    async () => {
      const step = fc.record({
        wait: fc.oneof(fc.constant(0), fc.nat(20 * minutes), fc.nat(3 * hour)),
        amount: fc.integer({ min: 0, max: 60 }),
        does: fc.constantFrom('take', 'take', 'settle', 'settle', 'extend', 'release'),
        call: fc.nat(20),
        process: fc.nat(1),
      });
      const history = fc.array(step, { minLength: 20, maxLength: 60, size: 'max' });
      await fc.assert(
        fc.asyncProperty(history, async (steps) => {
          budget = await addBudget(store, 100, sliding);
          person.budgets = [budget];
          now = start;
          const grown = new Map<string, { at: number; of: Ledger; held: number }>();
          const charges: { at: number; charged: number }[] = [];
          const settle = async (id: string, amount: number) => {
            const { at, of, held } = grown.get(id)!;
            grown.delete(id);
            const { charged } = await of.settle(bill(person, id, amount));
            // A charge above its hold grows as it is settled.
            charges.push({ at: charged > held ? now : at, charged });
          };
          for (const { wait, amount, does, call, process } of steps) {
            now += wait;
            const ids = [...grown.keys()];
            const id = ids[call % Math.max(1, ids.length)];
            if (does === 'take' || id === undefined) {
              const taken = await take(amount, by(process));
              if (taken !== undefined) grown.set(taken, { at: now, of: by(process), held: amount });
            } else if (does === 'settle') await settle(id, amount);
            else if (does === 'release') {
              await grown.get(id)!.of.release(id);
              grown.delete(id);
            } else {
              const one = grown.get(id)!;
              const isGrown = await one.of.extend(id, amount).catch(() => false);
              if (isGrown && amount > 0) grown.set(id, { ...one, at: now, held: one.held + amount });
            }
          }
          for (const id of grown.keys()) await settle(id, 60);
          for (const { at: from } of charges) {
            const within = charges.filter(({ at }) => at >= from && at < from + hour);
            const sum = within.reduce((total, { charged }) => total + charged, 0);
            expect(sum).toBeLessThanOrEqual(100);
          }
        }),
        { numRuns: runs },
      );
    },
  );

  it('grants ten of two hundred parallel calls with enough for ten, and again what falls out of it', async () => {
    const wave = async (): Promise<string[]> => {
      const held = await Promise.all(Array.from({ length: 200 }, (_, n) => take(10, by(n))));
      return held.filter((id) => id !== undefined);
    };
    const first = (await wave()).slice(0, 10);
    expect(first).toHaveLength(10);
    for (const id of first.slice(0, 4)) await ledger.settle(bill(person, id, 10));
    now += 10 * minutes;
    for (const id of first.slice(4)) await ledger.release(id);
    const second = await wave();
    expect(second).toHaveLength(6);
    for (const id of second) await ledger.settle(bill(person, id, 5));
    // The first four are counted until their whole part is an hour old.
    now = start + hour + 5 * minutes - 1;
    expect(await wave()).toHaveLength(3);
    now += 1;
    expect(await wave()).toHaveLength(4);
    expect(await budgetFigures(store, budget)).toEqual({
      used: 30,
      held: 70,
      start: start + hour + 5 * minutes,
    });
    // A clock that is set back counts nothing again, and frees nothing.
    now = start;
    expect(await take(1)).toBeUndefined();
  });

  it('is named by its refusal, with the first moment at which it has room', async () => {
    await spend(50);
    now += 10 * minutes;
    await spend(30);
    now += 60;
    const refusal = async (amount: number): Promise<unknown> => {
      try {
        return await hold(ledger, holdRequest(person, unique('r'), amount));
      } catch (error) {
        return error;
      }
    };
    const about = { id: budget, name: 'budget', isSliding: true, timeZone: 'UTC' };
    expect(await refusal(21)).toMatchObject({
      isHeld: false,
      available: 20,
      budget: { ...about, end: start + 65 * minutes, resetsIn: 54 * minutes, left: 20 },
    });
    expect(await refusal(71)).toMatchObject({
      budget: { end: start + 75 * minutes, resetsIn: 64 * minutes },
    });
    expect(await refusal(101)).toMatchObject({ budget: { ...about, resetsIn: undefined } });
  });

  it('counts a hold whole until it ends, and its charge in the part in which it last grew', async () => {
    const [short, long, above] = [await take(20), await take(30), await take(10)];
    await ledger.settle(bill(person, short!, 20));
    now += 20 * minutes;
    expect(await ledger.extend(long!, 5)).toBe(true);
    expect(await ledger.settle(bill(person, above!, 35))).toMatchObject({ charged: 35, writtenOff: 0 });
    expect(await parts()).toBe(`${start}:20,${start + 20 * minutes}:35`);
    await ledger.settle(bill(person, long!, 31));
    expect(await parts()).toBe(`${start}:20,${start + 20 * minutes}:66`);
    const kept = await take(14);
    now += 3 * hour;
    expect(await take(87)).toBeUndefined();
    expect(await take(86)).toBeDefined();
    // Nothing is counted in a part that is older than the window.
    await ledger.settle(bill(person, kept!, 14));
    expect(await budgetFigures(store, budget)).toMatchObject({ used: 0, held: 86 });
  });

  it('is never passed by a charge above its hold: the rest is a loss', async () => {
    const [first, second] = [await take(30), await take(50)];
    now += 2 * hour;
    expect(await ledger.settle(bill(person, first!, 90))).toMatchObject({ charged: 50, writtenOff: 40 });
    expect(await ledger.settle(bill(person, second!, 51))).toMatchObject({ charged: 50, writtenOff: 1 });
    expect(await parts()).toBe(`${start + 2 * hour}:50`);
  });

  it('gets back what is refunded while its part counts, and counts what a correction takes now', async () => {
    const [old, fresh] = [await spend(40), await spend(10)];
    now += 30 * minutes;
    await spend(20);
    const back = (requestId: string, amount: number) =>
      ledger.change((context) =>
        refundUsage(context, { txn: unique('refund'), requestId, amount, log: null, hourly: null }),
      );
    await back(old, 15);
    const half = start + 30 * minutes;
    expect(await parts()).toBe(`${start}:35,${half}:20`);
    const correct = async (amount: number, of = fresh): Promise<string> => {
      const txn = unique('rerate');
      const charge = { txn, of, others: [], amount, forgiven: 0, userId: person.userId, hourly: null };
      const input = { charges: [{ ...charge, log: () => null }], actorId: 1, reason: 'test' };
      await ledger.change((context) => rerate(context, input));
      return txn;
    };
    const more = await correct(70);
    expect(await parts()).toBe(`${start}:35,${half}:65`);
    expect(await take(1)).toBeUndefined();
    await correct(-45, more);
    expect(await parts()).toBe(`${start}:35,${half}:20`);
    now += 2 * hour;
    expect(await take(100)).toBeDefined();
    await back(fresh, 5);
    expect(await budgetFigures(store, budget)).toMatchObject({ used: 0, held: 100 });
  });

  it('loses nothing when a process dies: what was delivered counts, the rest is given back', async () => {
    const dying = createLedger({ store, log: recordingLog(), clock, node: 'test' });
    const [delivered] = [await take(60, dying), await take(40, dying)];
    void dying.mark(delivered!, 25);
    await dying.flush();
    dying.abandon();
    now += 10 * minutes;
    const next = openLedger(store, { clock });
    expect(await next.recover()).toEqual({ settled: 1, released: 1, charged: 25 });
    expect(await parts()).toBe(`${start}:25`);
    expect(await budgetFigures(store, budget)).toMatchObject({ used: 25, held: 0 });
    await next.close();
  });

  it('notes each share once in a stretch of its length', async () => {
    budget = await addBudget(store, 100, { ...sliding, mode: 'soft', shares: '50,100' });
    person.budgets = [budget];
    now += 50 * minutes;
    const id = await spend(60);
    await ledger.change((context) =>
      refundUsage(context, { txn: unique('refund'), requestId: id, log: null, hourly: null }),
    );
    await spend(60);
    expect(await reachedShares(store, budget)).toEqual([`${start}:50`]);
    now = start + hour;
    await spend(40);
    now += hour + 55 * minutes;
    await spend(55);
    expect(await reachedShares(store, budget)).toEqual(
      [`${start}:50`, `${start + hour}:100`, `${start + 2 * hour}:50`].toSorted(),
    );
  });

  it('is compared with its holds and its charges by part', async () => {
    await take(20);
    await spend(30);
    now += 5 * minutes;
    await spend(10);
    const audit = new BookAudit(store.db);
    await audit.run();
    const found = async (change: object) => {
      const row = (await budgets.find(store.db, budget))!;
      const set = (to: object) => store.db.updateTable('budgets').set(to).where('id', '=', budget).execute();
      await set(change);
      const all = [...(await checkBooks(store.db)), ...(await audit.whole()).findings];
      await set({ used: row.used, held: row.held, parts: row.parts });
      return all.map(({ invariant }) => invariant);
    };
    const next = start + 5 * minutes;
    const twice = (invariant: string, times: number) => Array.from({ length: 2 * times }, () => invariant);
    expect(await found({ held: 21 })).toEqual(twice('I22 budget held', 1));
    expect(await found({ used: 41 })).toEqual(twice('I22 budget used', 1));
    expect(await found({ parts: `${start}:10,${next}:30` })).toEqual(twice('I22 budget used', 2));
    expect(await found({ held: 20 })).toEqual([]);
  });
});
