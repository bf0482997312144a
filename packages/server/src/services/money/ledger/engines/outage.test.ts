import { beforeEach, expect, it } from 'vitest';
import type { Store } from '../../../../store/index.ts';
import { eachDialect } from '../../../../store/each-dialect.ts';
import { checkBooks } from '../checks.ts';
import { lockAccount } from '../testing/lock-account.ts';
import { addPerson, bill, readFigures, hold, openLedger, unique, holdRequest } from '../testing/test-bed.ts';
import { LedgerUnavailable } from '../plan/types.ts';

eachDialect('the ledger while its database does not answer', ({ open, openAgain }) => {
  let store: Store;
  let ledger: ReturnType<typeof openLedger>;
  beforeEach(async () => {
    store = await open();
    ledger = openLedger(store, { settings: { reserveWaitMs: 500 } });
    return () => ledger.close();
  });

  it('refuses new holds after a short wait, and books what is owed when it answers again', async () => {
    const person = await addPerson(store, ledger, { balance: 1000, allowance: 500 });
    const running = unique('r');
    await hold(ledger, holdRequest(person, running, 100));
    const letIn = await lockAccount(await openAgain(), person);
    const settling = ledger.settle(bill(person, running, 80));
    await expect((async () => hold(ledger, holdRequest(person, unique('r'), 100)))()).rejects.toThrow(
      LedgerUnavailable,
    );
    await letIn();
    expect(await settling).toMatchObject({ charged: 80, balance: 920 });
    await ledger.flush();
    expect(await readFigures(store, person)).toMatchObject({
      balance: 920,
      held: 0,
      tokenHeld: 0,
      remain: 420,
    });
    const id = unique('r');
    await hold(ledger, holdRequest(person, id, 100));
    await ledger.release(id);
    expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
  });

  it('rejects a settlement that waits too long, and books it all the same', async () => {
    const person = await addPerson(store, ledger, { balance: 1000 });
    const short = openLedger(store, { settings: { reserveWaitMs: 500, settleWaitMs: 300 } });
    const running = unique('r');
    await hold(short, holdRequest(person, running, 100));
    const letIn = await lockAccount(await openAgain(), person);
    await expect(short.settle(bill(person, running, 80))).rejects.toThrow(LedgerUnavailable);
    // The gateway's next step must not undo the settlement.
    const releasing = short.release(running).catch(() => undefined);
    await letIn();
    await releasing;
    await short.flush();
    expect(await readFigures(store, person)).toMatchObject({ balance: 920, held: 0 });
    // The outage is over: the next settlement resolves with its result and is not refused for the delay.
    expect(await short.settle(bill(person, running, 80))).toMatchObject({ charged: 80 });
    await short.close();
    expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
  });

  it.each(['before', 'after'])(
    'does not make a caller wait for the release of a hold %s it was settled, and gives it back later',
    async (moment) => {
      const person = await addPerson(store, ledger, { balance: 1000 });
      const waiting = openLedger(store, { settings: { reserveWaitMs: 300, settleWaitMs: 600_000 } });
      const running = unique('r');
      await hold(waiting, holdRequest(person, running, 100));
      const letIn = await lockAccount(await openAgain(), person);
      const settling = moment === 'after' ? waiting.settle(bill(person, running, 80)) : undefined;
      // All of this happens while the account is locked. A settlement would wait for ten minutes.
      await expect(waiting.release(running)).rejects.toThrow(LedgerUnavailable);
      await letIn();
      await settling;
      await waiting.flush();
      expect(await readFigures(store, person)).toMatchObject({ balance: settling ? 920 : 1000, held: 0 });
      await waiting.close();
      expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
    },
  );

  it('refuses everything once it is closed', async () => {
    const person = await addPerson(store, ledger, { balance: 1000 });
    const id = unique('r');
    await hold(ledger, holdRequest(person, id, 10));
    await ledger.close();
    await expect((async () => hold(ledger, holdRequest(person, unique('r'), 10)))()).rejects.toThrow(
      LedgerUnavailable,
    );
    await expect(ledger.settle(bill(person, id, 10))).rejects.toThrow(LedgerUnavailable);
    await expect(ledger.release(id)).rejects.toThrow(LedgerUnavailable);
  });

  it('refuses operations beyond the bound of its queue', async () => {
    const person = await addPerson(store, ledger, { balance: 1000 });
    const small = openLedger(store, { settings: { maxQueue: 3, reserveWaitMs: 5_000 } });
    const first = unique('r');
    await hold(small, holdRequest(person, first, 1));
    await small.release(first);
    const letIn = await lockAccount(await openAgain(), person);
    const waiting = Array.from({ length: 8 }, () =>
      Promise.resolve().then(() => hold(small, holdRequest(person, unique('r'), 1))),
    );
    const settled = Promise.allSettled(waiting);
    await new Promise((resolve) => setTimeout(resolve, 30));
    await letIn();
    const refused = (await settled).filter((result) => result.status === 'rejected');
    expect(refused).toHaveLength(5);
    expect(refused.every(({ reason }) => reason instanceof LedgerUnavailable)).toBe(true);
    await small.close();
  });
});
