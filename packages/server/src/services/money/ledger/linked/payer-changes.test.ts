import { deepEqual } from 'node:assert/strict';
import { beforeEach, describe, expect, it } from 'vitest';
import { changeMarks, teamMembers, tokens, users } from '../../../../store/index.ts';
import { checkBooks } from '../checks.ts';
import type { Ledger } from '../ledger.ts';
import { earlyHold, moments } from '../testing/early-moments.ts';
import { type LinkedBed, openLinkedBed } from '../testing/linked-bed.ts';
import { addPerson, bill, hold, holdRequest, logOf, type Person, unique } from '../testing/test-bed.ts';
import type { VerbContext } from '../verbs/context.ts';
import { refundUsage } from '../verbs/refund-usage.ts';

let bed: LinkedBed;
let worker: Ledger;
let person: Person;
/** A call of before, of 100 units, which may go back. */
let earlier: string;

beforeEach(async () => {
  bed = await openLinkedBed();
  // What waits for its next step waits for it alone: the moments below are what they say.
  worker = await bed.open({ settings: { seenMaxAgeMs: 60_000, deferMs: 60_000 } });
  person = await addPerson(bed.store, worker, { balance: 16_000 });
  earlier = unique('r');
  await hold(worker, holdRequest(person, earlier, 100));
  await worker.settle(bill(person, earlier, 100));
  return async () => {
    deepEqual(await checkBooks(bed.store.db, { atRest: true }), []);
    await bed.close();
  };
});

/** A change of a user by the process that has the console, as its service of accounts makes it. */
const ofUser = (work: (context: VerbContext) => Promise<unknown>) => async (ledger: Ledger) => {
  await ledger.change(async (context) => {
    await work(context);
    await changeMarks.mark(context.db, [`user:${person.userId}`]);
  });
};

/** What befalls a payer while a call of theirs runs: how, and how many units it brings them. */
const changes = {
  'the user is disabled': {
    brings: 0,
    make: ofUser(({ db }) => users.update(db, person.userId, { status: 2 })),
  },
  'the user is deleted': {
    brings: 0,
    make: ofUser(async ({ db }) => {
      await users.softDelete(db, person.userId, 1);
      await tokens.softDeleteAll(db, person.userId, 1);
      await teamMembers.endAll(db, person.userId, 1);
    }),
  },
  'the user is erased': {
    brings: 0,
    make: ofUser(async ({ db }) => {
      await tokens.softDeleteAll(db, person.userId, 1);
      await teamMembers.endAll(db, person.userId, 1);
      await users.remove(db, person.userId);
    }),
  },
  'the user tops up': {
    brings: 5_000,
    make: (ledger: Ledger) => {
      const { accountId, userId } = person;
      return ledger.credit({ txn: unique('topup'), kind: 'topup', accountId, userId, amount: 5_000 });
    },
  },
  'an earlier call is refunded': {
    brings: 100,
    make: (ledger: Ledger) => {
      const log = { ...logOf(person, earlier, 0), type: 6, content: 'refund' };
      const hourly = { modelName: 'm', username: person.username, at: log.created_at };
      return ledger.change((context) =>
        refundUsage(context, { txn: `${earlier}:refund`, requestId: earlier, log, hourly }),
      );
    },
  },
};

const early = (id: string) => earlyHold(worker, person, id);

/** The money in the rows; the user's own row may be deleted. */
async function figures() {
  const { db } = bed.store;
  const account = db.selectFrom('accounts').select(['balance', 'held']).where('id', '=', person.accountId);
  const key = db.selectFrom('tokens').select(['used_quota', 'held']).where('id', '=', person.tokenId);
  const user = db.selectFrom('users').select(['used_quota', 'request_count']).where('id', '=', person.userId);
  return {
    account: await account.executeTakeFirstOrThrow(),
    key: await key.executeTakeFirstOrThrow(),
    user: (await user.executeTakeFirst()) ?? 'gone',
  };
}

const rowsOf = (id: string) =>
  bed.store.db.selectFrom('logs').select(['type', 'quota']).where('request_id', '=', id).execute();

describe.each(Object.entries(changes))(
  'a hold that a worker granted by itself, when %s',
  (name, { make, brings }) => {
    const refunded = name === 'an earlier call is refunded' ? 100 : 0;
    const userOf = (used: number, requests: number) =>
      name === 'the user is erased' ? 'gone' : { used_quota: used, request_count: requests };
    const makers = { 'the first process': () => bed.first, 'the worker': () => worker };

    describe.each(Object.entries(makers))('by %s', (_by, ledgerOf) => {
      it.each(Object.entries(moments))('%s, is charged as it is billed', async (_moment, reach) => {
        const id = unique('r');
        const held = early(id);
        await reach(worker, id, held);
        await make(ledgerOf());
        const settled = await worker.settle(bill(person, id, 700));
        await held.durable;
        expect(settled).toEqual({ charged: 700, writtenOff: 0, balance: 15_200 + brings });
        expect(await figures()).toEqual({
          account: { balance: 15_200 + brings, held: 0 },
          key: { used_quota: 800 - refunded, held: 0 },
          user: userOf(800 - refunded, 2),
        });
        expect(await rowsOf(id)).toEqual([{ type: 2, quota: 700 }]);
      });

      it.each(Object.entries(moments))('%s, is released in full', async (_moment, reach) => {
        const id = unique('r');
        await reach(worker, id, early(id));
        await make(ledgerOf());
        await worker.release(id);
        await worker.flush();
        expect(await figures()).toEqual({
          account: { balance: 15_900 + brings, held: 0 },
          key: { used_quota: 100 - refunded, held: 0 },
          user: userOf(100 - refunded, 1),
        });
        expect(await rowsOf(id)).toEqual([]);
      });
    });

    it('is extended, and is charged beyond what it held at first', async () => {
      const id = unique('r');
      early(id);
      await make(bed.first);
      expect(await worker.extend(id, 10_000)).toBe(true);
      expect(await worker.settle(bill(person, id, 10_900))).toMatchObject({ charged: 10_900, writtenOff: 0 });
      expect(await figures()).toMatchObject({
        account: { balance: 5_000 + brings, held: 0 },
        key: { used_quota: 11_000 - refunded, held: 0 },
      });
    });

    it('is charged its last mark when the worker dies', async () => {
      const id = unique('r');
      const { durable } = early(id);
      void worker.mark(id, 50);
      worker.endDeferral(id);
      await durable;
      await worker.flush();
      await make(bed.first);
      worker.abandon();
      const next = await bed.open();
      expect(await next.recover()).toEqual({ settled: 1, released: 0, charged: 50 });
      expect(await figures()).toMatchObject({
        account: { balance: 15_850 + brings, held: 0 },
        key: { used_quota: 150 - refunded, held: 0 },
      });
    });
  },
);
