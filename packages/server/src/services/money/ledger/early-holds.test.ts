import { deepEqual } from 'node:assert/strict';
import { beforeEach, describe, expect, it } from 'vitest';
import { eachServer } from '../../../store/each-dialect.ts';
import type { Store } from '../../../store/index.ts';
import { checkBooks } from './checks.ts';
import { InsufficientQuota, LedgerUnavailable, type Reservation } from './plan/types.ts';
import { addLimited, isEarly, type Place, places, rowAt, setAt, showTo } from './testing/limited-payers.ts';
import { lockAccount } from './testing/lock-account.ts';
import { addMember, addTeam } from './testing/team-bed.ts';
import {
  addPerson,
  bill,
  readFigures,
  hold,
  holdRequest,
  openLedger,
  type Person,
  unique,
} from './testing/test-bed.ts';

eachServer('holds that wait for no transaction', (database) => {
  let store: Store;
  let ledger: ReturnType<typeof openLedger>;
  const open = (settings: object = {}) => {
    ledger = openLedger(store, { node: unique('node'), settings });
    return ledger;
  };
  beforeEach(async () => {
    store = await database.open();
    return async () => {
      await ledger.close();
      deepEqual(await checkBooks(store.db, { atRest: true }), []);
      await store.close();
    };
  });

  /** A payer whose rows the ledger has just read: with 16,000 in one place, and more than enough in the others. */
  async function seenPerson(place: Place = 'account'): Promise<Person> {
    const person = await addLimited(store, ledger, place);
    await showTo(ledger, person);
    return person;
  }

  describe.each(places)('where the %s has the least', (place) => {
    it('are granted only to payers who were seen with plenty of quota', async () => {
      open({ seenMaxAgeMs: 60_000 });
      const person = await seenPerson(place);
      expect(await isEarly(ledger, person, 1_000)).toBe(true);
      expect(await isEarly(ledger, person, 1_001)).toBe(false);
      expect(await isEarly(ledger, person, 1, 1_000)).toBe(true);
      expect(await isEarly(ledger, person, 1, 1_001)).toBe(false);
      expect(await isEarly(ledger, await addLimited(store, ledger, place), 1)).toBe(false);
      // The caller's copy of the token differs from its row.
      expect(await isEarly(ledger, { ...person, unlimited: !person.unlimited }, 1)).toBe(false);
    });

    it('count against the balance that was seen until they are written', async () => {
      open({ seenMaxAgeMs: 60_000 });
      const person = await seenPerson(place);
      for (let round = 0; round < 2; round += 1) {
        const ids = [unique('r'), unique('r')];
        const answers = ids.map((id) => ledger.reserve(holdRequest(person, id, 1_000)));
        expect(answers.map((answer) => answer instanceof Promise)).toEqual([false, true]);
        await Promise.all(ids.map((id) => ledger.release(id)));
      }
    });

    it('are not granted after this process changed the payer, until its rows are read again', async () => {
      open({ seenMaxAgeMs: 60_000 });
      const person = await seenPerson(place);
      await setAt(ledger, person, place, 15_999);
      expect(await isEarly(ledger, person, 1)).toBe(false);
      expect(await isEarly(ledger, person, 999)).toBe(true);
      expect(await isEarly(ledger, person, 1_000)).toBe(false);
    });

    it('are not granted on figures that are too old', async () => {
      open({ seenMaxAgeMs: 0 });
      expect(await isEarly(ledger, await seenPerson(place), 1)).toBe(false);
    });

    it('are refused, and their settlements with them, when another process spent the balance meanwhile: nothing is taken', async () => {
      open();
      const person = await seenPerson(place);
      const other = openLedger(store, { node: 'other' });
      const all = unique('r');
      await hold(other, holdRequest(person, all, 15_500));
      const [settled, left] = [unique('r'), unique('r')];
      const held = ledger.reserve(holdRequest(person, settled, 900)) as Reservation;
      const settling = ledger.settle(bill(person, settled, 300));
      const extending = ledger.extend(settled, 10);
      void ledger.mark(settled, 200);
      await expect(held.durable).rejects.toThrow(InsufficientQuota);
      await expect(settling).rejects.toThrow(InsufficientQuota);
      expect(await extending).toBe(false);
      // The ledger remembers this result and refuses the next hold before it begins.
      await expect((async () => ledger.reserve(holdRequest(person, left, 900)))()).rejects.toThrow(
        InsufficientQuota,
      );
      expect(await rowAt(store, person, place)).toEqual({ left: 16_000, held: 15_500 });
      await other.settle(bill(person, all, 15_500));
      expect(await rowAt(store, person, place)).toEqual({ left: 500, held: 0 });
      expect(await readFigures(store, person)).toMatchObject({ requests: 1 });
      await other.close();
    });
  });

  it('are not granted for a key or a member that was not seen, though its account was', async () => {
    open({ seenMaxAgeMs: 60_000 });
    const person = await seenPerson();
    const { tokenId } = await addPerson(store, ledger, { balance: 0 });
    expect(await isEarly(ledger, { ...person, tokenId }, 1)).toBe(false);
    expect(await isEarly(ledger, { ...person, tokenId }, 1)).toBe(true);
    const team = await addTeam(store, ledger, { balance: 16_000 });
    const [ann, bob] = [
      await addMember(store, ledger, team, {}),
      await addMember(store, ledger, team, { limit: 16_000 }),
    ];
    await showTo(ledger, ann);
    // A playground call, without a key.
    const withoutKey = { ...bob, tokenId: 0 };
    expect(await isEarly(ledger, withoutKey, 1)).toBe(false);
    expect(await isEarly(ledger, withoutKey, 1)).toBe(true);
  });

  it('are durable once their transaction is, and settle after it', async () => {
    open({ reserveWaitMs: 20_000 });
    const person = await seenPerson();
    const id = unique('r');
    const unlock = await lockAccount(store, person);
    const reservation = ledger.reserve({ ...holdRequest(person, id, 900), upTo: 1_000 }) as Reservation;
    expect(reservation.amount).toBe(1_000);
    let isDurable = false;
    const durable = reservation.durable.then(() => (isDurable = true));
    const settling = ledger.settle(bill(person, id, 700));
    // A closing ledger also writes the data that waits for a hold.
    const closing = ledger.flush();
    expect(isDurable).toBe(false);
    await unlock();
    await Promise.all([durable, closing]);
    expect(await readFigures(store, person)).toMatchObject({ balance: 15_300, held: 0, requests: 1 });
    expect(await settling).toEqual({ charged: 700, writtenOff: 0, balance: 15_300 });
  });

  it('are refused with their settlements while the database is away, and nothing is taken when it returns', async () => {
    open({ reserveWaitMs: 300, settleWaitMs: 600_000 });
    const person = await seenPerson();
    const running = unique('r');
    await hold(ledger, holdRequest(person, running, 100));
    const unlock = await lockAccount(store, person);
    const owed = ledger.settle(bill(person, running, 80));
    // The first hold is in the blocked transaction, the second in the next one.
    const ids = [unique('r'), unique('r')];
    const held: Reservation[] = [];
    for (const id of ids) {
      held.push(ledger.reserve(holdRequest(person, id, 50)) as Reservation);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const before = ids.map((id) => ledger.settle(bill(person, id, 40)));
    for (const one of [...held.map(({ durable }) => durable), ...before])
      await expect(one).rejects.toThrow(LedgerUnavailable);
    // Settlements run all the time, also while the holds are written and released.
    const after: Promise<unknown>[] = [];
    const settleAll = () => after.push(...ids.map((id) => ledger.settle(bill(person, id, 40)).catch(String)));
    const timer = setInterval(settleAll, 1);
    settleAll();
    await unlock();
    expect(await owed).toMatchObject({ charged: 80 });
    await ledger.flush();
    clearInterval(timer);
    for (const outcome of await Promise.all(after))
      expect(outcome).toMatch(/^(LedgerUnavailable|UnknownHold)/);
    expect(await readFigures(store, person)).toMatchObject({ balance: 15_920, held: 0, requests: 1 });
    expect(await isEarly(ledger, person, 100)).toBe(true);
  });
});
