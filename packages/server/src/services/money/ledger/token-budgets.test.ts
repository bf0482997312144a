import { deepEqual } from 'node:assert/strict';
import { beforeEach, expect, it } from 'vitest';
import { eachDialect } from '../../../store/each-dialect.ts';
import type { HoldTable, Store } from '../../../store/index.ts';
import { BookAudit } from './audit.ts';
import { checkBooks } from './checks.ts';
import type { Ledger } from './ledger.ts';
import { InsufficientQuota } from './plan/types.ts';
import type { CrashRow } from './recover.ts';
import {
  addBudget,
  addPerson,
  bill,
  budgetFigures,
  hold,
  holdRequest,
  logOf,
  openLedger,
  type Person,
  readFigures,
  unique,
} from './testing/test-bed.ts';
import { refundUsage } from './verbs/refund-usage.ts';
import { rerate } from './verbs/rerate.ts';

const minute = 60;
const start = 1_790_002_800;

/** Guarantees of a budget that counts tokens, on every database. Its calls cost nothing or little. */
eachDialect('a budget in tokens', ({ kind, open, openAgain }) => {
  let store: Store;
  let ledger: Ledger;
  let now: number;
  let person: Person;
  let budget: number;
  const clock = () => now * 1_000;
  /** The row after a crash, with the tokens of the last mark. */
  const crashRow = ({ request_id: id, request }: HoldTable): CrashRow | undefined => {
    const { used } = JSON.parse(request) as { used?: number };
    return used === undefined ? undefined : { log: logOf(person, id, 0), tokens: used };
  };
  beforeEach(async () => {
    store = await open();
    now = start;
    ledger = openLedger(store, { clock, crashRow });
    person = await addPerson(store, ledger, { balance: 1_000 });
    budget = await addBudget(store, 100, { unit: 'tokens', period: 'minute' });
    person.budgets = [budget];
    return async () => {
      await ledger.close();
      deepEqual(await checkBooks(store.db), []);
      const audit = new BookAudit(store.db);
      await audit.run();
      deepEqual((await audit.whole()).findings, []);
    };
  });

  /** Takes a hold of one quota unit and some tokens; undefined if it is refused. */
  const take = async (tokens: number, of: Ledger = ledger, amount = 1): Promise<string | undefined> => {
    const id = unique('call');
    try {
      await hold(of, { ...holdRequest(person, id, amount), tokens });
      return id;
    } catch (error) {
      if (!(error instanceof InsufficientQuota)) throw error;
      return undefined;
    }
  };
  const settle = (id: string, tokens: number, amount = 0, of: Ledger = ledger) =>
    of.settle({ ...bill(person, id, amount), tokens });
  const figures = () => budgetFigures(store, budget);

  it('grants ten of two hundred parallel calls with tokens for ten, from two processes, and again each minute', async () => {
    const other =
      kind === 'sqlite' ? ledger : openLedger(await openAgain(), { node: 'other', clock, crashRow });
    const by = (n: number): Ledger => (n % 2 ? other : ledger);
    for (let round = 0; round < 2; round += 1) {
      const held = await Promise.all(Array.from({ length: 200 }, (_, n) => take(10, by(n))));
      expect(held.filter((id) => id !== undefined)).toHaveLength(10);
      for (const [n, id] of held.entries()) if (id !== undefined) await settle(id, 10, 0, by(n));
      expect(await figures()).toEqual({ used: 100, held: 0, start: now });
      now += minute;
    }
    expect(await readFigures(store, person)).toMatchObject({ balance: 1_000, held: 0, requests: 20 });
    if (other !== ledger) await other.close();
  });

  it('is named by its refusal in tokens, with the time at which it has room', async () => {
    now += 20;
    await take(70);
    await expect(
      (async () => hold(ledger, { ...holdRequest(person, unique('r'), 1), tokens: 101 }))(),
    ).rejects.toMatchObject({
      reason: 'budget',
      unit: 'tokens',
      isHeld: false,
      available: 30,
      budget: { id: budget, unit: 'tokens', amount: 100, left: 100, end: start + minute, resetsIn: 40 },
    });
  });

  it('holds what a call may take of each unit, and grows each by itself', async () => {
    const money = await addBudget(store, 50);
    person.budgets = [budget, money];
    const id = (await take(40, ledger, 20))!;
    expect(await ledger.extend(id, 0, 60)).toBe(true);
    await expect(ledger.extend(id, 0, 1)).rejects.toMatchObject({ unit: 'tokens' });
    expect(await ledger.extend(id, 30)).toBe(true);
    await expect(ledger.extend(id, 1)).rejects.toMatchObject({ unit: 'quota' });
    expect([await figures(), await budgetFigures(store, money)]).toMatchObject([{ held: 100 }, { held: 50 }]);
    // A call without tokens has room in a budget that is full.
    const other = await addPerson(store, ledger, { balance: 1_000 });
    await hold(ledger, { ...holdRequest({ ...other, budgets: [budget] }, unique('r'), 5), tokens: 0 });
    await settle(id, 90, 10);
    expect([await figures(), await budgetFigures(store, money)]).toMatchObject([
      { used: 90, held: 0 },
      { used: 10, held: 0 },
    ]);
  });

  it('gives a hold of a range as many tokens as an eighth of the rest covers', async () => {
    const held = await ledger.reserve({ ...holdRequest(person, unique('r'), 1), tokens: 20, upToTokens: 90 });
    await held.durable;
    expect(held).toMatchObject({ amount: 1, tokens: 30 });
    expect(await figures()).toMatchObject({ held: 30 });
  });

  it.each([null, ''])('is never passed by tokens above a hold (sliding: %j)', async (parts) => {
    budget = await addBudget(store, 100, { unit: 'tokens', period: 'minute', parts });
    person.budgets = [budget];
    const [first, second] = [await take(30), await take(50)];
    expect(await settle(first!, 90, 3)).toMatchObject({ charged: 3, writtenOff: 0 });
    await settle(second!, 50);
    expect(await figures()).toMatchObject({ used: 100, held: 0 });
  });

  it('counts what a killed process delivered for nothing, and gives back the rest', async () => {
    const dying = openLedger(store, { clock, crashRow });
    const [delivered, idle] = [await take(60, dying), await take(40, dying)];
    expect(idle).toBeDefined();
    for (const used of [10, 25]) void dying.mark(delivered!, 0, JSON.stringify({ used }), used);
    await dying.flush();
    dying.abandon();
    const next = openLedger(store, { clock, crashRow });
    expect(await next.recover()).toEqual({ settled: 1, released: 1, charged: 0 });
    expect(await figures()).toMatchObject({ used: 25, held: 0 });
    await next.close();
  });

  it('counts the rest of a call that another process took for dead, up to its former hold', async () => {
    const frozen = openLedger(store, { clock, crashRow, node: 'frozen' });
    const id = (await take(60, frozen))!;
    void frozen.mark(id, 0, JSON.stringify({ used: 25 }), 25);
    await frozen.flush();
    await ledger.recoverDead('frozen');
    expect(await figures()).toMatchObject({ used: 25, held: 0 });
    await settle(id, 75, 0, frozen);
    await settle(id, 75, 0, frozen);
    expect(await figures()).toMatchObject({ used: 60, held: 0 });
    await frozen.close();
  });

  it('keeps its tokens when money is refunded or corrected', async () => {
    const money = await addBudget(store, 500);
    person.budgets = [budget, money];
    const id = (await take(40, ledger, 40))!;
    await settle(id, 40, 40);
    await ledger.change((context) =>
      refundUsage(context, { txn: unique('refund'), requestId: id, amount: 15, log: null, hourly: null }),
    );
    const charge = {
      txn: unique('rerate'),
      of: id,
      others: [],
      amount: 7,
      forgiven: 0,
      userId: person.userId,
    };
    const input = { charges: [{ ...charge, hourly: null, log: () => null }], actorId: 1, reason: 'test' };
    await ledger.change((context) => rerate(context, input));
    expect([await figures(), await budgetFigures(store, money)]).toMatchObject([{ used: 40 }, { used: 32 }]);
  });

  it('is compared with its holds and charges', async () => {
    const running = (await take(20))!;
    await settle((await take(30))!, 30);
    const audit = new BookAudit(store.db);
    await audit.run();
    for (const column of ['used', 'held'] as const) {
      const tamper = (by: number) =>
        store.db
          .updateTable('budgets')
          .set((e) => ({ [column]: e(column, '+', by) }))
          .where('id', '=', budget)
          .execute();
      await tamper(7);
      const found = [...(await checkBooks(store.db)), ...(await audit.whole()).findings];
      expect(found.map(({ invariant }) => invariant)).toEqual(
        Array.from({ length: 2 }, () => `I22 budget ${column}`),
      );
      await tamper(-7);
    }
    await ledger.release(running);
  });
});
