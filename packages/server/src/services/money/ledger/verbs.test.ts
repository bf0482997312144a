import { deepEqual } from 'node:assert/strict';
import { logType } from '@tollgate/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { sha256 } from '../../../lib/hash.ts';
import { redemptions, type Store, topUps } from '../../../store/index.ts';
import { eachDialect } from '../../../store/each-dialect.ts';
import { checkBooks } from './checks.ts';
import {
  addPerson,
  bill,
  hold,
  holdRequest,
  openLedger,
  type Person,
  readFigures,
  unique,
} from './testing/test-bed.ts';
import { InsufficientQuota } from './plan/types.ts';
import { credit, openAccount } from './verbs/credit.ts';

eachDialect('movements of quota', ({ open }) => {
  let store: Store;
  let ledger: ReturnType<typeof openLedger>;
  let person: Person;
  beforeEach(async () => {
    store = await open();
    ledger = openLedger(store);
    person = await addPerson(store, ledger, { balance: 100, allowance: 50 });
    return async () => {
      await ledger.close();
      deepEqual(await checkBooks(store.db, { atRest: true }), []);
    };
  });
  const readLogs = (userId: number) =>
    store.db
      .selectFrom('logs')
      .select(['type', 'content', 'username'])
      .where('user_id', '=', userId)
      .execute();

  it('credit once by name, with a log row of the balance before and after', async () => {
    const { accountId, userId } = person;
    const gift = {
      txn: unique('gift'),
      kind: 'gift' as const,
      accountId,
      userId,
      amount: 40,
      log: { type: logType.system, content: (before: number, after: number) => `从 ${before} 到 ${after}` },
    };
    const all = await Promise.all([1, 2, 3, 4].map(() => ledger.credit(gift)));
    expect(all.filter(({ applied }) => applied)).toEqual([{ applied: true, before: 100, after: 140 }]);
    expect(await readFigures(store, person)).toMatchObject({ balance: 140 });
    expect(await readLogs(userId)).toEqual([
      { type: logType.system, content: '从 100 到 140', username: person.username },
    ]);
  });

  it('are committed or rolled back with their transaction', async () => {
    const failing = ledger.change(async (context) => {
      const accountId = await openAccount(context.db);
      await credit(context, {
        txn: unique('gift'),
        kind: 'gift',
        accountId,
        userId: person.userId,
        amount: 7,
      });
      throw new Error('the rest failed');
    });
    await expect(failing).rejects.toThrow('the rest failed');
    const rows = await store.db.selectFrom('accounts').select('id').where('balance', '=', 7).execute();
    expect(rows).toEqual([]);
  });

  it('adjust as signed entries with actor and reason, never below zero', async () => {
    const { accountId, userId } = person;
    const by = (amount: number) => ({
      txn: unique('adjust'),
      accountId,
      userId,
      change: { by: amount },
      actorId: 9,
      reason: 'because',
    });
    expect(await ledger.adjust(by(-30))).toEqual({ applied: true, before: 100, after: 70 });
    await expect(ledger.adjust(by(-71))).rejects.toThrow(InsufficientQuota);
    const to = { ...by(0), change: { to: 500 } };
    expect(await ledger.adjust(to)).toEqual({ applied: true, before: 70, after: 500 });
    expect(await ledger.adjust(to)).toEqual({ applied: false, before: 500, after: 500 });
    const entries = await store.db
      .selectFrom('ledger')
      .select(['account_delta', 'outside_delta', 'actor_id', 'note'])
      .where('kind', '=', 'adjust')
      .orderBy('id')
      .execute();
    expect(entries).toEqual([
      { account_delta: -30, outside_delta: 30, actor_id: 9, note: 'because' },
      { account_delta: 430, outside_delta: -430, actor_id: 9, note: 'because' },
    ]);
  });

  it('lose no adjustment among many at once', async () => {
    const { accountId, userId } = person;
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        ledger.adjust({
          txn: unique('adjust'),
          accountId,
          userId,
          change: { by: i % 2 ? 5 : -3 },
          actorId: 1,
          reason: '',
        }),
      ),
    );
    expect(await readFigures(store, person)).toMatchObject({ balance: 100 + 10 * 5 - 10 * 3 });
  });

  it('grant allowance to a token as a meter of its own', async () => {
    const grant = { txn: unique('grant'), tokenId: person.tokenId, actorId: 1 };
    expect(await ledger.grantToken({ ...grant, change: { to: 80 } })).toMatchObject({
      before: 50,
      after: 80,
    });
    await expect(ledger.grantToken({ ...grant, txn: unique('grant'), change: { by: -81 } })).rejects.toThrow(
      InsufficientQuota,
    );
    expect(await readFigures(store, person)).toMatchObject({ balance: 100, remain: 80 });
  });

  it('transfer rewards without changing the sum', async () => {
    const { userId } = person;
    const reward = { txn: unique('reward'), inviterId: userId, amount: 60 };
    expect(await ledger.addReward(reward)).toEqual({ applied: true });
    expect(await ledger.addReward(reward)).toEqual({ applied: false });
    const moves = await Promise.allSettled(
      [1, 2, 3, 4].map(() => ledger.transferReward({ txn: unique('transfer'), userId, amount: 25 })),
    );
    expect(moves.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(await readFigures(store, person)).toMatchObject({ balance: 150, reward: 10 });
    const row = await store.db
      .selectFrom('users')
      .select(['aff_history', 'aff_count'])
      .where('id', '=', userId)
      .executeTakeFirst();
    expect(row).toEqual({ aff_history: 60, aff_count: 0 });
  });

  describe('by code', () => {
    const content = (quota: number, id: number) => `通过兑换码充值 ${quota}，兑换码ID ${id}`;

    it('have one winner among 64 concurrent redemptions', async () => {
      const key = unique('code');
      await redemptions.create(store.db, [
        { user_id: 1, key_hash: sha256(key), key_sealed: '', name: 'x', quota: 500, created_time: 0 },
      ]);
      const people = await Promise.all(
        Array.from({ length: 64 }, () => addPerson(store, ledger, { balance: 0 })),
      );
      const results = await Promise.all(
        people.map(({ userId }) => ledger.redeem({ key, userId, timeZone: 'UTC', content })),
      );
      const won = results.filter(({ outcome }) => outcome === 'redeemed');
      expect(won).toMatchObject([{ quota: 500 }]);
      expect(results.filter(({ outcome }) => outcome === 'used')).toHaveLength(63);
      const winner = people[results.findIndex(({ outcome }) => outcome === 'redeemed')]!;
      expect(await readFigures(store, winner)).toMatchObject({ balance: 500 });
      expect(await readLogs(winner.userId)).toMatchObject([{ type: logType.topup }]);
    });

    it('are refused for a code that has expired, which stays unused', async () => {
      const key = unique('code');
      const code = {
        user_id: 1,
        key_hash: sha256(key),
        key_sealed: '',
        name: 'x',
        quota: 500,
        created_time: 0,
      };
      await redemptions.create(store.db, [{ ...code, expired_time: 1 }]);
      expect(await ledger.redeem({ key, userId: person.userId, timeZone: 'UTC', content })).toEqual({
        outcome: 'expired',
      });
      expect(await readFigures(store, person)).toMatchObject({ balance: 100 });
      expect(await redemptions.findByHash(store.db, sha256(key))).toMatchObject({ status: 1 });
    });

    it('are refused for a code that does not exist or is disabled', async () => {
      const { userId } = person;
      expect(await ledger.redeem({ key: unique('code'), userId, timeZone: 'UTC', content })).toEqual({
        outcome: 'unknown',
      });
      const key = unique('code');
      await redemptions.create(store.db, [
        { user_id: 1, key_hash: sha256(key), key_sealed: '', name: 'x', quota: 500, created_time: 0 },
      ]);
      const code = await redemptions.findByHash(store.db, sha256(key));
      await redemptions.update(store.db, code!.id, { status: 2 });
      expect(await ledger.redeem({ key, userId, timeZone: 'UTC', content })).toEqual({ outcome: 'used' });
      expect(await readFigures(store, person)).toMatchObject({ balance: 100 });
    });
  });

  describe('by payment', () => {
    const content = (quota: number, money: string) =>
      `使用在线充值成功，充值金额: ${quota}，支付金额：${money}`;
    const order = async (tradeNo: string): Promise<void> => {
      await topUps.create(store.db, {
        user_id: person.userId,
        amount: 2,
        quota: 1000,
        money: '14.60',
        trade_no: tradeNo,
        provider: 'epay',
        payment_method: 'alipay',
        create_time: 1,
      });
    };
    const paid = (tradeNo: string) => ({ tradeNo, provider: 'epay', money: '14.60', content });

    it('credit an order once, however often its provider calls', async () => {
      const tradeNo = unique('order');
      await order(tradeNo);
      const results = await Promise.all(
        Array.from({ length: 20 }, () => ledger.completeTopUp(paid(tradeNo))),
      );
      expect(results.filter(({ outcome }) => outcome === 'credited')).toHaveLength(1);
      expect(results.filter(({ outcome }) => outcome === 'already')).toHaveLength(19);
      expect(await readFigures(store, person)).toMatchObject({ balance: 1100 });
    });

    it('are paid back once: what is left of the order and not held, never other credit', async () => {
      person = await addPerson(store, ledger, { balance: 100 });
      const tradeNo = unique('order');
      await order(tradeNo);
      const payBack = () =>
        ledger.refundTopUp({ tradeNo, actorId: 1, reason: 'wrong amount', content: String });
      expect(await payBack()).toEqual({ outcome: 'refused', reason: 'open' });
      await ledger.completeTopUp(paid(tradeNo));
      const running = unique('call');
      await hold(ledger, holdRequest(person, running, 500));
      // 1,100 with the first 100, of which 600 are free.
      const results = await Promise.all([1, 2, 3, 4].map(payBack));
      const { userId } = person;
      expect(results.filter(({ outcome }) => outcome === 'refunded')).toEqual([
        { outcome: 'refunded', userId, quota: 600 },
      ]);
      expect(results.filter(({ outcome }) => outcome === 'already')).toHaveLength(3);
      expect(await topUps.findByTradeNo(store.db, tradeNo)).toMatchObject({
        status: 'refunded',
        refunded: 600,
      });
      await ledger.settle(bill(person, running, 500));
      expect(await readFigures(store, person)).toMatchObject({ balance: 0 });
      const entry = { kind: 'topup_refund', account_delta: -600, actor_id: 1, note: 'wrong amount' };
      const entries = await store.db
        .selectFrom('ledger')
        .selectAll()
        .where('kind', '=', entry.kind)
        .execute();
      expect(entries).toMatchObject([entry]);
      expect(await ledger.completeTopUp(paid(tradeNo))).toEqual({ outcome: 'refused', reason: 'closed' });
    });

    it('are not paid back if calls hold all of it, or have used it', async () => {
      person = await addPerson(store, ledger, { balance: 100 });
      const tradeNo = unique('order');
      await order(tradeNo);
      await ledger.completeTopUp(paid(tradeNo));
      const payBack = () => ledger.refundTopUp({ tradeNo, actorId: 1, reason: 'x', content: String });
      const running = unique('call');
      await hold(ledger, holdRequest(person, running, 1_100));
      expect(await payBack()).toEqual({ outcome: 'refused', reason: 'held' });
      await ledger.settle(bill(person, running, 1_100));
      expect(await payBack()).toEqual({ outcome: 'refused', reason: 'used' });
      expect(await topUps.findByTradeNo(store.db, tradeNo)).toMatchObject({ status: 'success', refunded: 0 });
    });

    it('credit nothing for another amount, provider or order', async () => {
      const tradeNo = unique('order');
      await order(tradeNo);
      const refusals = [
        await ledger.completeTopUp({ ...paid(tradeNo), money: '0.01' }),
        await ledger.completeTopUp({ ...paid(tradeNo), provider: 'other' }),
        await ledger.completeTopUp(paid(unique('order'))),
      ];
      expect(refusals).toEqual([
        { outcome: 'refused', reason: 'money' },
        { outcome: 'refused', reason: 'provider' },
        { outcome: 'refused', reason: 'unknown' },
      ]);
      await topUps.complete(store.db, tradeNo, 'epay', { status: 'expired', now: 5 });
      expect(await ledger.completeTopUp(paid(tradeNo))).toEqual({ outcome: 'refused', reason: 'closed' });
      expect(await readFigures(store, person)).toMatchObject({ balance: 100 });
    });
  });
});
