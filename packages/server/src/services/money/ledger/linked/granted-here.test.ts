import { deepEqual } from 'node:assert/strict';
import { beforeEach, describe, expect, it } from 'vitest';
import { holds, type Store } from '../../../../store/index.ts';
import { checkBooks } from '../checks.ts';
import type { Ledger } from '../ledger.ts';
import { InsufficientQuota, type Reservation } from '../plan/types.ts';
import { type LinkedBed, openLinkedBed } from '../testing/linked-bed.ts';
import { addLimited, isEarly, type Place, places, rowAt, setAt, showTo } from '../testing/limited-payers.ts';
import { bill, figuresOf, hold, holdRequest, type Person, unique } from '../testing/test-bed.ts';

describe('holds that a worker on SQLite grants by itself', () => {
  let store: Store;
  let bed: LinkedBed;
  let worker: Ledger;
  beforeEach(async () => {
    bed = await openLinkedBed();
    ({ store } = bed);
    worker = await bed.open({ settings: { seenMaxAgeMs: 60_000 } });
    return async () => {
      deepEqual(await checkBooks(store.db, { atRest: true }), []);
      await bed.close();
    };
  });

  /** A payer whose figures the worker has just received: with 16,000 in one place, and plenty in the others. */
  async function seenPerson(place: Place = 'account'): Promise<Person> {
    const person = await addLimited(store, worker, place);
    await showTo(worker, person);
    return person;
  }
  /** One that is left to itself until its next step. */
  const early = (person: Person, id: string, amount: number): Reservation =>
    worker.reserve({ ...holdRequest(person, id, amount), deferrable: true }) as Reservation;

  describe.each(places)('where the %s has the least', (place) => {
    it('are granted only to payers who were seen with plenty of quota', async () => {
      const person = await seenPerson(place);
      // Of 16,000 that are free again.
      expect(await isEarly(worker, person, 1_000)).toBe(true);
      expect(await isEarly(worker, person, 1_001)).toBe(false);
      expect(await isEarly(worker, person, 1, 1_001)).toBe(false);
      expect(await isEarly(worker, person, 1, 900)).toBe(true);
      expect(await isEarly(worker, await addLimited(store, worker, place), 1)).toBe(false);
      // The caller has another value of the token than its row.
      expect(await isEarly(worker, { ...person, unlimited: !person.unlimited }, 1)).toBe(false);
    });

    it('count against the balance that was seen until they are answered', async () => {
      const person = await seenPerson(place);
      for (let round = 0; round < 2; round += 1) {
        const ids = [unique('r'), unique('r')];
        const answers = ids.map((id) => worker.reserve(holdRequest(person, id, 960)));
        expect(answers.map((answer) => answer instanceof Promise)).toEqual([false, true]);
        for (const answer of answers) await answer;
        for (const id of ids) await worker.release(id);
      }
    });

    it('take the available quota from the answer to the last step of any kind', async () => {
      const person = await seenPerson(place);
      const id = unique('r');
      await hold(worker, holdRequest(person, id, 1));
      await worker.extend(id, 8_000);
      expect(await isEarly(worker, person, 500)).toBe(false);
      await worker.release(id);
      expect(await isEarly(worker, person, 1_000)).toBe(true);
      const settled = unique('r');
      await hold(worker, holdRequest(person, settled, 1_000));
      // Of 15,500 afterwards.
      await worker.settle(bill(person, settled, 500));
      expect(await isEarly(worker, person, 968)).toBe(true);
      expect(await isEarly(worker, person, 969)).toBe(false);
      // By the notice about a hold of its own alone.
      const kept = unique('r');
      const { durable } = early(person, kept, 900);
      await worker.flush();
      await durable;
      expect(await isEarly(worker, person, 913)).toBe(false);
      expect(await isEarly(worker, person, 912)).toBe(true);
      await worker.release(kept);
    });

    it('are not granted after this worker changed the payer, until the next answer about it', async () => {
      const person = await seenPerson(place);
      await setAt(worker, person, place, 15_999);
      expect(await isEarly(worker, person, 1)).toBe(false);
      expect(await isEarly(worker, person, 999)).toBe(true);
      expect(await isEarly(worker, person, 1_000)).toBe(false);
    });

    it('of two workers at once take no more than there is, whatever each of them had seen (Q1)', async () => {
      const person = await seenPerson(place);
      const other = await bed.open({ settings: { seenMaxAgeMs: 60_000 } });
      await showTo(other, person);
      const served = { early: 0, calls: 0, writtenOff: 0 };
      const call = async (ledger: Ledger): Promise<void> => {
        const id = unique('r');
        const held = ledger.reserve({ ...holdRequest(person, id, 900), deferrable: true });
        if (!(held instanceof Promise)) served.early += 1;
        await held;
        const { charged, writtenOff } = await ledger.settle(bill(person, id, 900));
        served.writtenOff += writtenOff;
        if (charged > 0) served.calls += 1;
      };
      for (let round = 0; round < 10; round += 1) {
        const calls = [worker, other].flatMap((ledger) => [call(ledger), call(ledger), call(ledger)]);
        await Promise.allSettled(calls);
      }
      expect(served).toEqual({ early: expect.any(Number), calls: 17, writtenOff: 0 });
      expect(served.early).toBeGreaterThan(1);
      expect(await rowAt(store, person, place)).toEqual({ left: 700, held: 0 });
      expect(await figuresOf(store, person)).toMatchObject({ requests: 17 });
    });

    it('are refused, and their settlements with them, where the balance was spent meanwhile: nothing is taken', async () => {
      const person = await seenPerson(place);
      const [all, settled, marked, stands] = [unique('r'), unique('r'), unique('r'), unique('r')];
      await hold(bed.first, holdRequest(person, all, 15_500));
      const held = [early(person, stands, 450), early(person, settled, 450), early(person, marked, 300)];
      const settling = [stands, settled].map((id) => worker.settle(bill(person, id, 300)).catch(String));
      void worker.mark(marked, 50);
      worker.endDeferral(marked);
      await held[0]?.durable;
      await expect(held[1]?.durable).rejects.toThrow(InsufficientQuota);
      await expect(held[2]?.durable).rejects.toThrow(InsufficientQuota);
      // The reason is the same, whether it asks before the notice about the hold or after it.
      expect(await Promise.all(settling)).toMatchObject([
        { charged: 300 },
        expect.stringMatching(/^InsufficientQuota/),
      ]);
      await expect(worker.settle(bill(person, marked, 50))).rejects.toThrow(InsufficientQuota);
      // It has learned what is left.
      expect(await isEarly(worker, person, 100)).toBe(false);
      await bed.first.settle(bill(person, all, 15_500));
      expect(await rowAt(store, person, place)).toEqual({ left: 200, held: 0 });
      expect(await figuresOf(store, person)).toMatchObject({ requests: 2 });
    });
  });

  it('are sent with the settlement of a short call: one message each way', async () => {
    const person = await seenPerson();
    const before = bed.messages();
    const ids = [unique('r'), unique('r')];
    const held = ids.map((id) => early(person, id, 100));
    const settled = await Promise.all(ids.map((id) => worker.settle(bill(person, id, 70))));
    expect(settled.at(-1)).toEqual({ charged: 70, writtenOff: 0, balance: 15_860 });
    await Promise.all(held.map(({ durable }) => durable));
    expect(bed.messages() - before).toBe(2);
  });

  it('become rows soon where no step follows, and at once when a caller waits for them', async () => {
    const person = await seenPerson();
    const [left, hurried] = [unique('r'), unique('r')];
    const held = [early(person, left, 100), early(person, hurried, 200)];
    worker.endDeferral(hurried);
    await Promise.all(held.map(({ durable }) => durable));
    expect(await holds.listHolds(store.db)).toHaveLength(2);
    await Promise.all([left, hurried].map((id) => worker.release(id)));
  });

  it('are never sent when they are released at once', async () => {
    const person = await seenPerson();
    const before = bed.messages();
    const id = unique('r');
    early(person, id, 100);
    await worker.release(id);
    expect(bed.messages()).toBe(before);
    await worker.flush();
    expect(await figuresOf(store, person)).toMatchObject({ balance: 16_000, held: 0, requests: 0 });
  });

  it('wait for the rows of a payer that the first process must load, and later steps wait for them', async () => {
    const person = await seenPerson();
    // Behind the worker's back: the first process knows that it must read again, the worker does not.
    await bed.first.adjust({
      txn: unique('adjust'),
      accountId: person.accountId,
      userId: person.userId,
      change: { by: -6_000 },
      actorId: 1,
      reason: 'test',
    });
    const [settled, extended] = [unique('r'), unique('r')];
    early(person, settled, 400);
    const settling = worker.settle(bill(person, settled, 300));
    early(person, extended, 400);
    expect(await worker.extend(extended, 100)).toBe(true);
    expect(await settling).toEqual({ charged: 300, writtenOff: 0, balance: 9_700 });
    await worker.release(extended);
  });
});
