import { deepEqual } from 'node:assert/strict';
import { beforeEach, describe, expect, it } from 'vitest';
import { teamMembers } from '../../../../store/index.ts';
import { checkBooks } from '../checks.ts';
import type { Ledger } from '../ledger.ts';
import { InsufficientQuota } from '../plan/types.ts';
import { earlyHold, moments } from '../testing/early-moments.ts';
import { addLimited, type Place, rowAt, setAt } from '../testing/limited-payers.ts';
import { type LinkedBed, openLinkedBed } from '../testing/linked-bed.ts';
import { bill, hold, holdRequest, type Person, unique } from '../testing/test-bed.ts';
import { grantLimit } from '../verbs/grant-limit.ts';
import { grantToken } from '../verbs/grant-token.ts';

let bed: LinkedBed;
let worker: Ledger;
let person: Person;

const early = (id: string) => earlyHold(worker, person, id);

/** Sets a limit of so much in all, of which 100 were used by an earlier call. */
const limitTo = (total: number) => (ledger: Ledger, place: Place) =>
  setAt(ledger, person, place, place === 'key' ? total - 100 : total);

/** No limit any more, as the console writes it: with the verb, in one transaction. */
const lift = (ledger: Ledger, place: Place): Promise<unknown> =>
  ledger.change(async (context) => {
    const { tokenId, memberId = 0 } = person;
    const txn = unique('lift');
    if (place === 'key') {
      await grantToken(context, { txn, tokenId, change: { by: 0 }, actorId: 1 });
      await context.db.updateTable('tokens').set({ unlimited_quota: 1 }).where('id', '=', tokenId).execute();
      return;
    }
    await grantLimit(context, { txn, memberId, limit: null, since: 0, actorId: 1 });
    await teamMembers.update(context.db, memberId, { unlimited_quota: 1 });
  });

/** What befalls a limit of 16,000 in all while a call runs that holds 900 of it, and what is left of it without that call. */
const changes = {
  grows: { make: limitTo(20_000), left: 19_900 },
  shrinks: { make: limitTo(11_100), left: 11_000 },
  'is lifted': { make: lift, left: 15_900 },
};

describe.each(['key', 'member'] as const)(
  'a hold that a worker granted by itself to a limited %s',
  (place) => {
    beforeEach(async () => {
      bed = await openLinkedBed();
      // What waits for its next step waits for it alone.
      worker = await bed.open({ settings: { seenMaxAgeMs: 60_000, deferMs: 60_000 } });
      person = await addLimited(bed.store, worker, place);
      const earlier = unique('r');
      await hold(worker, holdRequest(person, earlier, 100));
      await worker.settle(bill(person, earlier, 100));
      return async () => {
        deepEqual(await checkBooks(bed.store.db, { atRest: true }), []);
        await bed.close();
      };
    });

    const makers = { 'the first process': () => bed.first, 'the worker': () => worker };
    const at = () => rowAt(bed.store, person, place);

    describe.each(Object.entries(changes))('when the limit %s', (_name, { make, left }) => {
      describe.each(Object.entries(makers))('by %s', (_by, ledgerOf) => {
        it.each(Object.entries(moments))('%s, is charged as it is billed', async (_moment, reach) => {
          const id = unique('r');
          const held = early(id);
          await reach(worker, id, held);
          await make(ledgerOf(), place);
          expect(await worker.settle(bill(person, id, 700))).toMatchObject({ charged: 700, writtenOff: 0 });
          await held.durable;
          expect(await at()).toEqual({ left: left - 700, held: 0 });
        });
      });

      it.each(Object.entries(moments))('%s, is released in full', async (_moment, reach) => {
        const id = unique('r');
        await reach(worker, id, early(id));
        await make(bed.first, place);
        await worker.release(id);
        await worker.flush();
        expect(await at()).toEqual({ left, held: 0 });
      });

      it('is extended, and is charged beyond what it held at first', async () => {
        const id = unique('r');
        early(id);
        await make(bed.first, place);
        expect(await worker.extend(id, 10_000)).toBe(true);
        expect(await worker.settle(bill(person, id, 10_900))).toMatchObject({
          charged: 10_900,
          writtenOff: 0,
        });
        expect(await at()).toEqual({ left: left - 10_900, held: 0 });
      });
    });

    it.each(Object.entries(makers))(
      'is refused where %s leaves less than it holds, and nothing is taken',
      async (_by, ledgerOf) => {
        const id = unique('r');
        const { durable } = early(id);
        await limitTo(999)(ledgerOf(), place);
        await expect(worker.settle(bill(person, id, 700))).rejects.toThrow(InsufficientQuota);
        await expect(durable).rejects.toThrow(InsufficientQuota);
        expect(await at()).toEqual({ left: 899, held: 0 });
      },
    );

    it('is charged in full once it is a row, whatever the limit has become', async () => {
      const id = unique('r');
      const held = early(id);
      await moments['once the hold is a row']!(worker, id, held);
      await limitTo(600)(bed.first, place);
      expect(await worker.settle(bill(person, id, 700))).toMatchObject({ charged: 700, writtenOff: 0 });
      expect(await at()).toEqual({ left: 0, held: 0 });
    });
  },
);
