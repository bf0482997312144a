import { deepEqual } from 'node:assert/strict';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { holds, type Store } from '../../../../store/index.ts';
import { checkBooks } from '../checks.ts';
import type { Ledger } from '../ledger.ts';
import { LedgerUnavailable } from '../plan/types.ts';
import { type LinkedBed, openLinkedBed } from '../testing/linked-bed.ts';
import { addPerson, bill, figuresOf, hold, holdRequest, type Person, unique } from '../testing/test-bed.ts';

describe('a worker whose first process does not respond', () => {
  let store: Store;
  let bed: LinkedBed;
  let worker: Ledger;
  let person: Person;
  /** GrantedAnswer in the worker, which has seen this payer. */
  const early = (id: string) => ({ ...holdRequest(person, id, 100), deferrable: true as const });
  beforeEach(async () => {
    bed = await openLinkedBed();
    ({ store } = bed);
    worker = await bed.open({ settings: { seenMaxAgeMs: 60_000 } });
    person = await addPerson(store, worker, { balance: 16_000 });
    const seen = unique('r');
    await hold(worker, holdRequest(person, seen, 1));
    await worker.release(seen);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    return async () => {
      vi.useRealTimers();
      await worker.flush();
      deepEqual(await checkBooks(store.db, { atRest: true }), []);
      await bed.close();
    };
  });
  /** The outcome of each of these; observed from the start, so that no rejection is unhandled. */
  const endsOf = (...work: unknown[]) => Promise.allSettled(work);
  const unavailable = { status: 'rejected', reason: expect.any(LedgerUnavailable) };
  /** Lets the first process receive and do what it was sent meanwhile. */
  const resume = async (): Promise<void> => {
    vi.useRealTimers();
    bed.resume();
    await worker.flush();
  };

  it('refuses new money after a timeout, as without a database, and leaves nothing held', async () => {
    bed.freeze();
    const [large, granted] = [unique('r'), unique('r')];
    const asking = worker.reserve(holdRequest(person, large, 9_000));
    const { durable } = await worker.reserve(early(granted));
    worker.endDeferral(granted);
    const ends = endsOf(asking, durable);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await ends).toEqual([unavailable, unavailable]);
    // What was made of it is not charged, whenever it comes.
    await expect(worker.settle(bill(person, granted, 70))).rejects.toThrow(LedgerUnavailable);
    await resume();
    expect(await holds.listHolds(store.db)).toEqual([]);
    expect(await figuresOf(store, person)).toMatchObject({ balance: 16_000, held: 0, requests: 0 });
  });

  it('rejects a settlement after half a minute, and it is booked all the same, once', async () => {
    const [short, long] = [unique('r'), unique('r')];
    await hold(worker, holdRequest(person, long, 200));
    bed.freeze();
    const { durable } = await worker.reserve(early(short));
    const bills = [bill(person, short, 70), bill(person, long, 150)];
    const ends = endsOf(...bills.map((each) => worker.settle(each)));
    await vi.advanceTimersByTimeAsync(31_000);
    expect(await ends).toEqual([unavailable, unavailable]);
    await resume();
    await durable;
    // As who named the call asks for it.
    expect(
      (await Promise.all(bills.map((each) => worker.settle(each)))).map(({ charged }) => charged),
    ).toEqual([70, 150]);
    expect(await figuresOf(store, person)).toMatchObject({ balance: 15_780, held: 0, requests: 2 });
  });

  it('keeps the hold of a running stream, which cannot be extended meanwhile', async () => {
    const id = unique('r');
    await hold(worker, holdRequest(person, id, 200));
    bed.freeze();
    const ends = endsOf(worker.extend(id, 100), worker.release(unique('r')));
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await ends).toEqual([unavailable, unavailable]);
    await resume();
    expect(await worker.settle(bill(person, id, 200))).toMatchObject({ charged: 200, writtenOff: 0 });
    expect(await figuresOf(store, person)).toMatchObject({ balance: 15_800, held: 0, requests: 1 });
  });
});
