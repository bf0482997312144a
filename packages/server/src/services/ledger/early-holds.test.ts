import { deepEqual } from 'node:assert/strict';
import { beforeEach, describe, expect, it } from 'vitest';
import { migrate, openStore, type Store } from '../../store/index.ts';
import { freshServer, missingServer } from '../../store/each-dialect.ts';
import { checkBooks } from './checks.ts';
import { InsufficientQuota, LedgerUnavailable, type Reservation } from './plan/types.ts';
import { lockOut } from './testing/lock-out.ts';
import {
  addPerson,
  bill,
  figuresOf,
  hold,
  holdRequest,
  openLedger,
  type Person,
  unique,
} from './testing/test-bed.ts';

for (const kind of ['postgres', 'mysql'] as const) {
  const missing = missingServer(kind);
  describe.skipIf(missing !== undefined)(
    `holds that wait for no transaction of ${kind}${missing ? ` (${missing})` : ''}`,
    () => {
      let store: Store;
      let ledger: ReturnType<typeof openLedger>;
      const open = (settings: object = {}) => {
        ledger = openLedger(store, { node: unique('node'), settings });
        return ledger;
      };
      beforeEach(async () => {
        store = await openStore({ url: await freshServer(kind) });
        await migrate(store);
        return async () => {
          await ledger.close();
          deepEqual(await checkBooks(store.db, { atRest: true }), []);
          await store.close();
        };
      });

      /** A payer whose row the ledger has just seen. */
      async function seenPerson(balance = 16_000, allowance?: number): Promise<Person> {
        const person = await addPerson(store, ledger, { balance, allowance: allowance ?? null });
        const first = unique('r');
        await hold(ledger, holdRequest(person, first, 1));
        await ledger.release(first);
        return person;
      }

      /** True when a hold of this amount is granted before it is written; it is given back. */
      async function isEarly(person: Person, amount: number, upTo = amount): Promise<boolean> {
        const id = unique('r');
        const answer = ledger.reserve({ ...holdRequest(person, id, amount), upTo });
        await answer;
        await ledger.release(id);
        return !(answer instanceof Promise);
      }

      it('are those of payers who were seen to have plenty, and nobody else', async () => {
        open({ trustMs: 60_000 });
        const person = await seenPerson();
        expect(await isEarly(person, 1_000)).toBe(true);
        expect(await isEarly(person, 1_001)).toBe(false);
        expect(await isEarly(person, 1, 1_000)).toBe(true);
        const unseen = await addPerson(store, ledger, { balance: 16_000 });
        expect(await isEarly(unseen, 1)).toBe(false);
        const limited = await seenPerson(16_000, 15_000);
        expect(await isEarly(limited, 1)).toBe(false);
        // The caller believes something else of the token than its row says.
        expect(await isEarly({ ...limited, unlimited: true }, 1)).toBe(false);
        // Each claims its part of what is seen until it is written.
        const ids = [unique('r'), unique('r')];
        const answers = ids.map((id) => ledger.reserve(holdRequest(person, id, 1_000)));
        expect(answers.map((answer) => answer instanceof Promise)).toEqual([false, true]);
        await Promise.all(ids.map((id) => ledger.release(id)));
        // A change by somebody of this process is looked at before anything else is granted.
        await ledger.adjust({
          txn: unique('a'),
          accountId: person.accountId,
          userId: person.userId,
          change: { by: -1 },
          actorId: 1,
          reason: 'test',
        });
        expect(await isEarly(person, 1)).toBe(false);
        expect(await isEarly(person, 999)).toBe(true);
      });

      it('are durable once their transaction is, and settle after it', async () => {
        open({ reserveWaitMs: 20_000 });
        const person = await seenPerson();
        const id = unique('r');
        const unlock = await lockOut(store, person);
        const reservation = ledger.reserve({ ...holdRequest(person, id, 900), upTo: 1_000 }) as Reservation;
        expect(reservation.amount).toBe(1_000);
        let isDurable = false;
        const durable = reservation.durable.then(() => (isDurable = true));
        const settling = ledger.settle(bill(person, id, 700));
        // A ledger that ends has written what waits for a hold, too.
        const closing = ledger.flush();
        expect(isDurable).toBe(false);
        await unlock();
        await Promise.all([durable, closing]);
        expect(await figuresOf(store, person)).toMatchObject({ balance: 15_300, held: 0, requests: 1 });
        expect(await settling).toEqual({ charged: 700, writtenOff: 0, balance: 15_300 });
      });

      it('fall when another process has spent the money meanwhile, their settlements with them, and nothing is taken', async () => {
        open();
        const person = await seenPerson();
        const other = openLedger(store, { node: 'other' });
        const all = unique('r');
        await hold(other, holdRequest(person, all, 15_500));
        const [settled, left] = [unique('r'), unique('r')];
        const held = ledger.reserve(holdRequest(person, settled, 900)) as Reservation;
        const settling = ledger.settle(bill(person, settled, 300));
        const extending = ledger.extend(settled, 10);
        ledger.mark(settled, 200);
        await expect(held.durable).rejects.toThrow(InsufficientQuota);
        await expect(settling).rejects.toThrow(InsufficientQuota);
        expect(await extending).toBe(false);
        // What it learned so stops the next one before it begins.
        await expect((async () => ledger.reserve(holdRequest(person, left, 900)))()).rejects.toThrow(
          InsufficientQuota,
        );
        expect(await figuresOf(store, person)).toMatchObject({ balance: 16_000, held: 15_500, requests: 0 });
        await other.settle(bill(person, all, 15_500));
        expect(await figuresOf(store, person)).toMatchObject({ balance: 500, held: 0, requests: 1 });
        await other.close();
      });

      it('are refused with their settlements while the database is away, and nothing is taken when it returns', async () => {
        open({ reserveWaitMs: 300, settleWaitMs: 600_000 });
        const person = await seenPerson();
        const running = unique('r');
        await hold(ledger, holdRequest(person, running, 100));
        const unlock = await lockOut(store, person);
        const owed = ledger.settle(bill(person, running, 80));
        // The first is in the transaction that hangs, the second in the next.
        const ids = [unique('r'), unique('r')];
        const held: Reservation[] = [];
        for (const id of ids) {
          held.push(ledger.reserve(holdRequest(person, id, 50)) as Reservation);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        const before = ids.map((id) => ledger.settle(bill(person, id, 40)));
        for (const one of [...held.map(({ durable }) => durable), ...before])
          await expect(one).rejects.toThrow(LedgerUnavailable);
        // Asked for at every moment, also while they are written and given back.
        const after: Promise<unknown>[] = [];
        const settleAll = () =>
          after.push(...ids.map((id) => ledger.settle(bill(person, id, 40)).catch(String)));
        const timer = setInterval(settleAll, 1);
        settleAll();
        await unlock();
        expect(await owed).toMatchObject({ charged: 80 });
        await ledger.flush();
        clearInterval(timer);
        for (const outcome of await Promise.all(after))
          expect(outcome).toMatch(/^(LedgerUnavailable|UnknownHold)/);
        expect(await figuresOf(store, person)).toMatchObject({ balance: 15_920, held: 0, requests: 1 });
        expect(await isEarly(person, 100)).toBe(true);
      });
    },
  );
}
