import { deepEqual } from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { holds, type Store } from '../../../../store/index.ts';
import { checkBooks } from '../checks.ts';
import type { Ledger } from '../ledger.ts';
import { InsufficientQuota, LedgerUnavailable, UnknownHold } from '../plan/types.ts';
import { type LinkedBed, openLinkedBed } from '../testing/linked-bed.ts';
import { addPerson, bill, figuresOf, hold, holdRequest, type Person, unique } from '../testing/test-bed.ts';

describe('the ledger of a worker on SQLite', () => {
  let store: Store;
  let bed: LinkedBed;
  let worker: Ledger;
  let person: Person;
  beforeEach(async () => {
    bed = await openLinkedBed();
    ({ store } = bed);
    worker = await bed.open();
    person = await addPerson(bed.store, worker, { balance: 100 });
    return async () => {
      deepEqual(await checkBooks(store.db), []);
      await bed.close();
    };
  });

  it('holds and settles in batches of the first process, under the name of the worker', async () => {
    const id = unique('r');
    expect(await hold(worker, { ...holdRequest(person, id, 10), deferrable: true })).toBe(10);
    expect(await holds.listHolds(store.db)).toMatchObject([{ request_id: id, node: 'w1', amount: 10 }]);
    expect(await worker.extend(id, 20)).toBe(true);
    expect(await worker.extend(id, 100)).toBe(false);
    expect(await worker.settle(bill(person, id, 25))).toEqual({ charged: 25, writtenOff: 0, balance: 75 });
    expect(await worker.settle(bill(person, id, 25))).toMatchObject({ charged: 25 });
    expect(await figuresOf(store, person)).toMatchObject({ balance: 75, held: 0, used: 25 });
  });

  it('refuses with the same errors as the ledger', async () => {
    const refused = await Promise.resolve(worker.reserve(holdRequest(person, unique('r'), 101))).catch(
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(InsufficientQuota);
    expect(refused).toMatchObject({ reason: 'account', available: 100, needed: 101 });
    await expect(worker.settle(bill(person, unique('r'), 1))).rejects.toBeInstanceOf(UnknownHold);
  });

  it('does not apply a notice about a released hold to the next hold of the same request', async () => {
    const id = unique('r');
    const request = { ...holdRequest(person, id, 10), deferrable: true as const };
    const former = await worker.reserve(request);
    await worker.release(id);
    const next = await worker.reserve({ ...request, amount: 20 });
    await former.durable;
    await next.durable;
    expect(await holds.listHolds(store.db)).toMatchObject([{ request_id: id, amount: 20 }]);
    await worker.release(id);
    expect(await figuresOf(store, person)).toMatchObject({ balance: 100, held: 0 });
  });

  it('has the holds of a dead worker charged at their last mark, and released where nothing was delivered', async () => {
    const [marked, fresh] = [unique('r'), unique('r')];
    await hold(worker, holdRequest(person, marked, 30));
    await hold(worker, holdRequest(person, fresh, 20));
    void worker.mark(marked, 12);
    await turn();
    await turn();
    worker.abandon();
    const next = await bed.open();
    const other = unique('r');
    await hold(next, holdRequest(person, other, 5));
    expect(await next.recover()).toEqual({ settled: 1, released: 1, charged: 12 });
    expect(await holds.listHolds(store.db)).toMatchObject([{ request_id: other, node: 'w2' }]);
    expect(await figuresOf(store, person)).toMatchObject({ balance: 88, held: 5 });
    await next.settle(bill(person, other, 5));
    expect(await figuresOf(store, person)).toMatchObject({ balance: 83, held: 0 });
  });

  it('leaves nothing held for a worker that dies before its hold is a row', async () => {
    await hold(worker, holdRequest(person, unique('r'), 30));
    await worker.reserve({ ...holdRequest(person, unique('r'), 10), deferrable: true });
    worker.abandon();
    const next = await bed.open();
    expect(await next.recover()).toEqual({ settled: 0, released: 2, charged: 0 });
    expect(await hold(next, holdRequest(person, unique('r'), 100))).toBe(100);
  });

  it('leaves nothing held for a worker that dies while its payer is loaded', async () => {
    // A payer who is not known yet.
    const another = await addPerson(bed.store, worker, { balance: 100 });
    Promise.resolve(worker.reserve(holdRequest(another, unique('r'), 10))).catch(() => undefined);
    await turn();
    await turn();
    worker.abandon();
    const next = await bed.open();
    expect(await next.recover()).toEqual({ settled: 0, released: 1, charged: 0 });
    expect(await hold(next, holdRequest(another, unique('r'), 100))).toBe(100);
  });

  it('leaves the holds of living workers alone when the first process ends those of dead ones', async () => {
    const id = unique('r');
    await hold(worker, holdRequest(person, id, 10));
    expect(await bed.first.recover()).toEqual({ settled: 0, released: 0, charged: 0 });
    expect(await worker.settle(bill(person, id, 7))).toMatchObject({ charged: 7 });
  });

  it('refuses every step once it is closed or its link is cut', async () => {
    worker.abandon();
    await expect(worker.reserve(holdRequest(person, unique('r'), 1))).rejects.toBeInstanceOf(
      LedgerUnavailable,
    );
  });

  it('reloads what a transaction of a worker has changed', async () => {
    const id = unique('r');
    await hold(worker, holdRequest(person, id, 100));
    await worker.adjust({
      txn: unique('adjust'),
      accountId: person.accountId,
      userId: person.userId,
      change: { by: 50 },
      actorId: 1,
      reason: 'test',
    });
    expect(await hold(worker, holdRequest(person, unique('r'), 50))).toBe(50);
    expect(await figuresOf(store, person)).toMatchObject({ balance: 150, held: 150 });
  });
});
