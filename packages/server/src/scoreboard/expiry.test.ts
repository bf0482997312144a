import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { checkBooks, InsufficientQuota, type Ledger } from '../services/money/ledger/index.ts';
import {
  addPerson,
  bill,
  hold,
  holdRequest,
  openLedger,
  type Person,
  readFigures,
  unique,
} from '../services/money/ledger/testing/test-bed.ts';
import { eachDialect } from '../store/each-dialect.ts';
import { sized } from '../testing/scoreboard-size.ts';

const end = 1_700_086_400;
const dated = 500;
const undated = 300;

/** Two processes, or one on SQLite, that call at the moment of the expiry; some of them are killed. */
eachDialect('Q13 dated credit under load', ({ kind, open, openAgain }) => {
  it('spends nothing after its end that was not held before, and loses and doubles nothing', async () => {
    const store = await open();
    const stores = kind === 'sqlite' ? [store] : [store, await openAgain()];
    let now = end - 60;
    const settings = { reserveWaitMs: 60_000, settleWaitMs: 60_000, earlyHoldMultiple: 4 };
    const start = (n: number): Ledger =>
      openLedger(stores[n]!, { node: `node-${n}`, clock: () => now * 1_000, settings });
    const ledgers = stores.map((_, n) => start(n));
    const people: Person[] = [];
    for (let n = 0; n < sized(60, 12); n += 1) {
      const person = await addPerson(store, ledgers[0]!, { balance: undated });
      const { accountId, userId } = person;
      const credit = { txn: unique('redeem'), kind: 'redeem' as const, accountId, userId, amount: dated };
      await ledgers[0]!.credit({ ...credit, terms: { expiresAt: end } });
      people.push(person);
    }
    const reserving = new Set<Promise<unknown>>();
    let [isOver, calls] = [false, 0];
    let gate = Promise.resolve();
    const call = async (place: number): Promise<void> => {
      await gate;
      calls += 1;
      const person = people[calls % people.length]!;
      const ledger = ledgers[place]!;
      const amount = 5 + (calls % 40);
      const id = unique(now < end ? 'before' : 'after');
      const taking = hold(ledger, holdRequest(person, id, amount));
      reserving.add(taking);
      try {
        await taking;
      } catch (error) {
        if (!(error instanceof InsufficientQuota)) throw error;
        return ledger.release(id);
      } finally {
        reserving.delete(taking);
      }
      await sleep(calls % 15);
      if (calls % 7 === 0) return ledger.release(id);
      await ledger.settle(bill(person, id, amount - (calls % 5)));
    };
    // A call of the killed process never answers; every other one is waited for, so that the books are read at rest.
    const dying = ledgers.at(-1)!;
    const killed = Promise.withResolvers<void>();
    const work = async (place: number): Promise<void> => {
      while (!isOver) {
        const isDying = ledgers[place] === dying;
        const answer = call(place);
        await (isDying ? Promise.race([answer.catch(() => killed.promise), killed.promise]) : answer);
        await sleep(1);
      }
    };
    const kill = async (): Promise<void> => {
      dying.abandon();
      killed.resolve();
      const place = ledgers.length - 1;
      ledgers[place] = start(place);
      await ledgers[place].recover();
    };
    const working = Promise.all(Array.from({ length: 12 }, (_, n) => work(n % ledgers.length)));
    await sleep(sized(600, 150));
    // The clock passes the end between two holds, so that each is certainly before or after it.
    const passed = Promise.withResolvers<void>();
    gate = passed.promise;
    await Promise.allSettled(reserving);
    now = end;
    passed.resolve();
    await sleep(sized(100, 20));
    await kill();
    await sleep(sized(600, 150));
    isOver = true;
    await working;
    for (const ledger of ledgers) ledger.abandon();
    const last = start(0);
    await last.recover();
    for (const [n] of stores.entries()) if (n > 0) await last.recoverDead(`node-${n}`);
    await last.settleExpired(10_000);
    for (const person of people) {
      const entries = await store.db
        .selectFrom('ledger')
        .select(['txn', 'kind', 'account_delta'])
        .where('account_id', '=', person.accountId)
        .execute();
      const sum = (fits: (entry: (typeof entries)[number]) => boolean): number =>
        entries.filter(fits).reduce((total, entry) => total - entry.account_delta, 0);
      const before = sum(({ txn }) => txn.startsWith('before'));
      const after = sum(({ txn }) => txn.startsWith('after'));
      const expired = sum(({ kind: what }) => what === 'expire');
      expect(expired).toBe(dated - Math.min(before, dated));
      expect(after).toBeLessThanOrEqual(undated - Math.max(0, before - dated));
      expect((await readFigures(store, person)).balance).toBe(dated + undated - before - after - expired);
    }
    await last.close();
    expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
  }, 120_000);
});
