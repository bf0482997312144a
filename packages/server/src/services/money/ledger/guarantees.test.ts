import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../store/index.ts';
import { sized } from '../../../testing/scoreboard-size.ts';
import { checkBooks } from './checks.ts';
import type { Ledger } from './ledger.ts';
import { asOne, eachFleet, type Fleet } from './testing/fleet.ts';
import { addLimited, places, rowAt } from './testing/limited-payers.ts';
import { addChannel, addPerson, bill, readFigures, hold, unique, holdRequest } from './testing/test-bed.ts';
import { InsufficientQuota, LedgerUnavailable, UnknownHold } from './plan/types.ts';

eachFleet('the request path', sized([0, 2, 4], [0, 2]), (open) => {
  let fleet: Fleet;
  let store: Store;
  let ledger: Ledger;
  beforeEach(async () => {
    fleet = await open();
    ({ store } = fleet);
    ledger = asOne(fleet);
  });

  it('charges what a request cost, and nothing else', async () => {
    const channel = await addChannel(store);
    const person = await addPerson(store, ledger, { balance: 1000, allowance: 500 });
    const id = unique('request');
    await hold(ledger, holdRequest(person, id, 300));
    expect(await readFigures(store, person)).toMatchObject({ balance: 1000, held: 300, tokenHeld: 300 });
    const settled = await ledger.settle(bill(person, id, 120, channel));
    expect(settled).toEqual({ charged: 120, writtenOff: 0, balance: 880 });
    expect(await readFigures(store, person)).toEqual({
      balance: 880,
      held: 0,
      remain: 380,
      tokenHeld: 0,
      tokenUsed: 120,
      used: 120,
      requests: 1,
      reward: 0,
    });
    const log = await store.db.selectFrom('logs').selectAll().where('request_id', '=', id).execute();
    expect(log).toMatchObject([{ quota: 120, model_name: 'm', prompt_tokens: 3, user_id: person.userId }]);
    const hours = await store.db.selectFrom('quota_data').selectAll().execute();
    expect(hours).toMatchObject([{ created_at: 1_699_999_200, quota: 120, count: 1, token_used: 7 }]);
    expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
  });

  it('costs nothing when the hold is released', async () => {
    const person = await addPerson(store, ledger, { balance: 1000, allowance: 500 });
    const id = unique('request');
    await hold(ledger, holdRequest(person, id, 300));
    await ledger.release(id);
    await ledger.release(id);
    expect(await readFigures(store, person)).toMatchObject({
      balance: 1000,
      held: 0,
      remain: 500,
      tokenHeld: 0,
    });
    expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
  });

  it('grants ten of two hundred parallel requests on a balance for ten', async () => {
    const person = await addPerson(store, ledger, { balance: 109 });
    const ids = Array.from({ length: 200 }, () => unique('parallelHolds'));
    const results = await Promise.allSettled(ids.map((id) => hold(ledger, holdRequest(person, id, 10))));
    const won = ids.filter((_, i) => results[i]?.status === 'fulfilled');
    expect(won).toHaveLength(10);
    const refusals = results.filter((result) => result.status === 'rejected');
    expect(refusals.filter(({ reason }) => !(reason instanceof InsufficientQuota))).toEqual([]);
    expect(await readFigures(store, person)).toMatchObject({ balance: 109, held: 100 });
    await Promise.all(won.map((id) => ledger.settle(bill(person, id, 10))));
    expect(await readFigures(store, person)).toMatchObject({ balance: 9, held: 0, used: 100, requests: 10 });
    expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
  });

  it('grants ten of two hundred parallel requests on a token for ten, whatever the balance', async () => {
    const person = await addPerson(store, ledger, { balance: 100_000, allowance: 100 });
    const ids = Array.from({ length: 200 }, () => unique('parallelHolds'));
    const results = await Promise.allSettled(ids.map((id) => hold(ledger, holdRequest(person, id, 10))));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    const refusal = results.find((result) => result.status === 'rejected');
    expect(refusal?.reason).toMatchObject({ reason: 'token', available: 0, needed: 10 });
    await Promise.all(ids.map((id) => ledger.release(id)));
    expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
  });

  it('settles a request once, however often it is settled', async () => {
    const person = await addPerson(store, ledger, { balance: 1000 });
    const id = unique('request');
    await hold(ledger, holdRequest(person, id, 100));
    const both = await Promise.all([
      ledger.settle(bill(person, id, 60)),
      ledger.settle(bill(person, id, 90)),
    ]);
    expect(both.map(({ charged }) => charged)).toEqual([60, 60]);
    expect(await ledger.settle(bill(person, id, 10))).toEqual({ charged: 60, writtenOff: 0, balance: 940 });
    await ledger.release(id);
    expect(await readFigures(store, person)).toMatchObject({ balance: 940, held: 0, requests: 1 });
    expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
  });

  it('takes one hold for a request that reserves twice', async () => {
    const person = await addPerson(store, ledger, { balance: 1000 });
    const id = unique('request');
    await Promise.all([
      hold(ledger, holdRequest(person, id, 100)),
      hold(ledger, holdRequest(person, id, 100)),
    ]);
    expect(await readFigures(store, person)).toMatchObject({ held: 100 });
    await ledger.release(id);
  });

  it('refuses to settle a request that never held anything', async () => {
    const person = await addPerson(store, ledger, { balance: 1000 });
    await expect(ledger.settle(bill(person, unique('request'), 10))).rejects.toThrow(UnknownHold);
    const id = unique('request');
    await hold(ledger, holdRequest(person, id, 10));
    await ledger.release(id);
    await expect(ledger.settle(bill(person, id, 10))).rejects.toThrow(UnknownHold);
    expect(await readFigures(store, person)).toMatchObject({ balance: 1000, held: 0 });
  });

  it('charges above the hold what is available, and books the rest as a loss', async () => {
    const person = await addPerson(store, ledger, { balance: 100 });
    const [first, second] = [unique('request'), unique('request')];
    await hold(ledger, holdRequest(person, first, 30));
    await hold(ledger, holdRequest(person, second, 50));
    // 20 are free beside the holds: 50 of 90 can be paid, and the other request's hold is unchanged.
    expect(await ledger.settle(bill(person, first, 90))).toEqual({
      charged: 50,
      writtenOff: 40,
      balance: 50,
    });
    expect(await ledger.settle(bill(person, second, 50))).toEqual({ charged: 50, writtenOff: 0, balance: 0 });
    const entry = await store.db.selectFrom('ledger').selectAll().where('txn', '=', first).executeTakeFirst();
    expect(entry).toMatchObject({ account_delta: -50, writeoff_delta: -40, outside_delta: 90 });
    expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
  });

  it('charges the full cost where only the token is short, and notes it', async () => {
    const person = await addPerson(store, ledger, { balance: 1000, allowance: 50 });
    const id = unique('request');
    await hold(ledger, holdRequest(person, id, 40));
    expect(await ledger.settle(bill(person, id, 80))).toMatchObject({ charged: 80, writtenOff: 0 });
    expect(await readFigures(store, person)).toMatchObject({ balance: 920, remain: 0, tokenUsed: 80 });
    const entry = await store.db.selectFrom('ledger').selectAll().where('txn', '=', id).executeTakeFirst();
    expect(entry).toMatchObject({ token_delta: -50, note: '{"token_short":30}' });
    expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
  });

  it('counts an unlimited token below zero', async () => {
    const person = await addPerson(store, ledger, { balance: 1000 });
    const id = unique('request');
    await hold(ledger, holdRequest(person, id, 40));
    await ledger.settle(bill(person, id, 80));
    expect(await readFigures(store, person)).toMatchObject({ remain: -80, tokenUsed: 80, tokenHeld: 0 });
    expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
  });

  it('edits an unlimited token that stands below zero, and takes nothing more from it by hand', async () => {
    const person = await addPerson(store, ledger, { balance: 1000 });
    const id = unique('request');
    await hold(ledger, holdRequest(person, id, 40));
    await ledger.settle(bill(person, id, 80));
    const grant = (change: { by: number } | { to: number }) =>
      ledger.grantToken({ txn: unique('grant'), tokenId: person.tokenId, change, actorId: person.userId });
    expect(await grant({ by: 0 })).toMatchObject({ applied: true, after: -80 });
    await expect(grant({ by: -1 })).rejects.toThrow('insufficient token quota');
    expect(await grant({ to: 30 })).toMatchObject({ applied: true, before: -80, after: 30 });
    expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
  });

  it('lets a hold grow as far as the balance goes', async () => {
    const person = await addPerson(store, ledger, { balance: 100 });
    const id = unique('request');
    await hold(ledger, holdRequest(person, id, 40));
    expect(await ledger.extend(id, 40)).toBe(true);
    expect(await ledger.extend(id, 40)).toBe(false);
    expect(await readFigures(store, person)).toMatchObject({ held: 80 });
    await expect(ledger.extend(unique('request'), 1)).rejects.toBeInstanceOf(LedgerUnavailable);
    expect(await ledger.settle(bill(person, id, 75))).toMatchObject({ charged: 75, balance: 25 });
    expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
  });

  it('pays a running hold as far as it can after the balance was set below it', async () => {
    const person = await addPerson(store, ledger, { balance: 100 });
    const { accountId, userId } = person;
    const [first, second] = [unique('request'), unique('request')];
    await hold(ledger, holdRequest(person, first, 40));
    await hold(ledger, holdRequest(person, second, 40));
    await ledger.adjust({
      txn: unique('adjust'),
      accountId,
      userId,
      change: { to: 50 },
      actorId: 1,
      reason: 'x',
    });
    expect(await ledger.extend(first, 0)).toBe(true);
    await expect(ledger.extend(first, 1)).rejects.toMatchObject({ isHeld: true });
    expect(await ledger.settle(bill(person, first, 40))).toMatchObject({ charged: 40, balance: 10 });
    expect(await ledger.settle(bill(person, second, 40))).toEqual({
      charged: 10,
      writtenOff: 30,
      balance: 0,
    });
    expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
  });

  it('writes a settlement even where its log row cannot be stored', async () => {
    const person = await addPerson(store, ledger, { balance: 100 });
    const [good, bad] = [unique('request'), unique('request')];
    await hold(ledger, holdRequest(person, good, 40));
    await hold(ledger, holdRequest(person, bad, 40));
    const broken = bill(person, bad, 20);
    broken.log = { ...broken.log!, use_time: Number.NaN };
    const results = await Promise.all([ledger.settle(broken), ledger.settle(bill(person, good, 30))]);
    expect(results.map(({ charged }) => charged)).toEqual([20, 30]);
    expect(await readFigures(store, person)).toMatchObject({ balance: 50, held: 0 });
    expect(fleet.lines().some(({ level }) => level === 'error')).toBe(true);
    expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
  });

  it('refuses amounts that are negative or not whole', async () => {
    const person = await addPerson(store, ledger, { balance: 1000 });
    for (const amount of [-1, 0.5, Number.NaN, 2 ** 53, Number.POSITIVE_INFINITY]) {
      for (const wanted of [
        holdRequest(person, unique('r'), amount),
        { ...holdRequest(person, unique('r'), 1), upTo: amount },
      ]) {
        await expect((async () => hold(ledger, wanted))()).rejects.toThrow(RangeError);
      }
    }
    expect(await readFigures(store, person)).toMatchObject({ balance: 1000, held: 0 });
  });

  it('does not touch totals for a call that used nothing', async () => {
    const person = await addPerson(store, ledger, { balance: 1000 });
    const id = unique('request');
    await hold(ledger, holdRequest(person, id, 10));
    await ledger.settle({ ...bill(person, id, 0), counts: false, hourly: null });
    expect(await readFigures(store, person)).toMatchObject({ balance: 1000, used: 0, requests: 0 });
    expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
  });

  it.each(places)('serves ten of two hundred parallel calls with enough for ten: %s', async (place) => {
    const person = await addLimited(store, ledger, place, 109);
    let served = 0;
    const call = async (): Promise<void> => {
      const id = unique('call');
      await ledger.whenReleased({ payer: person }, () => hold(ledger, holdRequest(person, id, 10)));
      served += 1;
      await new Promise((resolve) => setTimeout(resolve, 5));
      await ledger.settle(bill(person, id, 10));
    };
    const results = await Promise.allSettled(Array.from({ length: 200 }, call));
    expect(served).toBe(10);
    const reasons = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as unknown] : [],
    );
    // Calls are refused only when no hold is left.
    expect(reasons.filter((reason) => !(reason instanceof InsufficientQuota) || reason.isHeld)).toEqual([]);
    expect(await rowAt(store, person, place)).toEqual({ left: 9, held: 0 });
    expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
  });

  it('lets a hold grow when another call has ended', async () => {
    const person = await addPerson(store, ledger, { balance: 100 });
    const [growing, other] = [unique('request'), unique('request')];
    await hold(ledger, holdRequest(person, growing, 40));
    await hold(ledger, holdRequest(person, other, 60));
    const grown = ledger.whenReleased({ payer: person, isRunning: true }, () => ledger.extend(growing, 50));
    await ledger.settle(bill(person, other, 10));
    expect(await grown).toBe(true);
    expect(await readFigures(store, person)).toMatchObject({ balance: 90, held: 90 });
    expect(await ledger.extend(growing, 1)).toBe(false);
  });

  it('tries a refused transaction that waits now and then, not without end', async () => {
    const person = await addPerson(store, ledger, { balance: 100 });
    await hold(ledger, holdRequest(person, unique('request'), 100));
    let tries = 0;
    let isFree = false;
    const waiting = ledger.whenReleased({ payer: person }, () =>
      ledger.change(({ touched }) => {
        tries += 1;
        touched.accounts.add(person.accountId);
        return isFree ? Promise.resolve() : Promise.reject(new InsufficientQuota('account', 0, 10, 100));
      }),
    );
    await sleep(1_000);
    // Once every 100 ms.
    expect(tries).toBeLessThan(20);
    isFree = true;
    await waiting;
  });

  describe('beside the slow path', () => {
    it('uses a payment at once', async () => {
      const person = await addPerson(store, ledger, { balance: 5 });
      await expect((async () => hold(ledger, holdRequest(person, unique('r'), 10)))()).rejects.toThrow(
        InsufficientQuota,
      );
      const { accountId, userId } = person;
      await ledger.credit({ txn: unique('gift'), kind: 'gift', accountId, userId, amount: 5 });
      await hold(ledger, holdRequest(person, unique('r'), 10));
      expect(await readFigures(store, person)).toMatchObject({ balance: 10, held: 10 });
    });

    it('plans again on the row when another transaction changed it', async () => {
      const person = await addPerson(store, ledger, { balance: 100 });
      await hold(ledger, holdRequest(person, unique('r'), 10));
      // A manual change in the database; no part of the program makes it.
      await store.db
        .updateTable('accounts')
        .set({ balance: 15 })
        .where('id', '=', person.accountId)
        .execute();
      const late = unique('r');
      await expect((async () => hold(ledger, holdRequest(person, late, 10)))()).rejects.toThrow(
        InsufficientQuota,
      );
      expect(await readFigures(store, person)).toMatchObject({ balance: 15, held: 10 });
    });

    it("takes the token's limit from its row, not from the request", async () => {
      const person = await addPerson(store, ledger, { balance: 1000, allowance: 10 });
      await store.db
        .updateTable('tokens')
        .set({ unlimited_quota: 1 })
        .where('id', '=', person.tokenId)
        .execute();
      const outdated = { ...person, unlimited: true };
      await hold(ledger, holdRequest(outdated, unique('r'), 100));
      expect(await readFigures(store, person)).toMatchObject({ held: 100, tokenHeld: 0 });
    });
  });
});
