import { deepEqual } from 'node:assert/strict';
import { logType } from '@tollgate/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../store/index.ts';
import { eachDialect } from '../../../store/each-dialect.ts';
import { BookAudit } from './audit.ts';
import { checkBooks } from './checks.ts';
import { InsufficientQuota, UnknownHold } from './plan/types.ts';
import { addMember, addTeam } from './testing/team-bed.ts';
import {
  addBudget,
  addChannel,
  addPerson,
  bill,
  budgetCalls,
  readFigures,
  holdRequest,
  logOf,
  openLedger,
  type Person,
  unique,
} from './testing/test-bed.ts';
import { refundUsage } from './verbs/refund-usage.ts';
import { holdForTask, releaseTask, settleParts, settleTask } from './verbs/task-hold.ts';

eachDialect('money of tasks', ({ open }) => {
  let store: Store;
  let ledger: ReturnType<typeof openLedger>;
  let person: Person;
  let channelId: number;
  beforeEach(async () => {
    store = await open();
    ledger = openLedger(store);
    channelId = await addChannel(store);
    person = await addPerson(store, ledger, { balance: 100, allowance: 60 });
    return async () => {
      deepEqual(await checkBooks(store.db), []);
      await ledger.close();
    };
  });
  const hold = (requestId: string, amount: number, payer = person) =>
    ledger.change((context) => holdForTask(context, holdRequest(payer, requestId, amount)));
  const settle = (requestId: string, amount: number, payer = person) =>
    ledger.change((context) => settleTask(context, bill(payer, requestId, amount, channelId)));
  const refund = (requestId: string, amount?: number) =>
    ledger.change((context) =>
      refundUsage(context, {
        txn: `task:${requestId}:refund`,
        requestId,
        log: { ...logOf(person, requestId, channelId), type: logType.refund },
        hourly: null,
        ...(amount !== undefined && { amount }),
      }),
    );

  it('is held, charged, and given back to balance, key and totals', async () => {
    const id = unique('task');
    await hold(id, 40);
    expect(await readFigures(store, person)).toMatchObject({ balance: 100, held: 40, tokenHeld: 40 });
    expect(await settle(id, 40)).toMatchObject({ charged: 40, writtenOff: 0 });
    expect(await readFigures(store, person)).toMatchObject({
      balance: 60,
      held: 0,
      remain: 20,
      used: 40,
      requests: 1,
    });
    expect(await refund(id)).toEqual({ applied: true, amount: 40 });
    expect(await readFigures(store, person)).toMatchObject({
      balance: 100,
      remain: 60,
      used: 0,
      requests: 1,
      tokenUsed: 0,
    });
  });

  it('is given back once, however many ask at the same time', async () => {
    const id = unique('task');
    await hold(id, 30);
    await settle(id, 30);
    const all = await Promise.all([1, 2, 3, 4].map(() => refund(id)));
    expect(all.filter(({ applied }) => applied)).toHaveLength(1);
    expect(await readFigures(store, person)).toMatchObject({ balance: 100 });
  });

  it('is given back in part, and never more than was charged', async () => {
    const id = unique('task');
    await hold(id, 30);
    await settle(id, 30);
    expect(await refund(id, 500)).toMatchObject({ amount: 30 });
    expect(await refund(unique('unknown'))).toEqual({ applied: false, amount: 0 });
  });

  it('is released where the task never began, and refused where there is no hold', async () => {
    const id = unique('task');
    await hold(id, 60);
    await expect(hold(unique('task'), 1)).rejects.toThrow(InsufficientQuota);
    await ledger.change((context) => releaseTask(context, id));
    expect(await readFigures(store, person)).toMatchObject({ balance: 100, held: 0, tokenHeld: 0 });
  });

  it('is left alone by the recovery of requests', async () => {
    const id = unique('task');
    await hold(id, 25);
    expect(await ledger.recover()).toMatchObject({ released: 0, settled: 0 });
    expect(await settle(id, 25)).toMatchObject({ charged: 25 });
  });

  it('shares a balance with running requests, to the unit', async () => {
    const id = unique('task');
    const before = await ledger.reserve(holdRequest(person, unique('call'), 30));
    await before.durable;
    await hold(id, 30);
    await expect((async () => ledger.reserve(holdRequest(person, unique('call'), 1)))()).rejects.toThrow(
      InsufficientQuota,
    );
  });

  describe('charged in parts', () => {
    const parts = (requestId: string, amounts: readonly [string, number][]) =>
      ledger.change((context) =>
        settleParts(
          context,
          requestId,
          amounts.map(([id, amount]) => bill(person, id, amount, channelId)),
        ),
      );

    it('lowers the hold by each part, once, however many charge it at the same time', async () => {
      const [id, one, two] = [unique('task'), unique('part'), unique('part')];
      await hold(id, 40);
      const all = [
        [one, 15],
        [two, 5],
      ] as [string, number][];
      for (const settled of await Promise.all([1, 2, 3].map(() => parts(id, all))))
        expect(settled.map(({ charged }) => charged)).toEqual([15, 5]);
      const charged = { balance: 80, remain: 40, used: 20, requests: 2 };
      expect(await readFigures(store, person)).toMatchObject({ ...charged, held: 20, tokenHeld: 20 });
      await ledger.change((context) => releaseTask(context, id));
      expect(await readFigures(store, person)).toMatchObject({ ...charged, held: 0, tokenHeld: 0 });
      await expect(parts(id, [[unique('part'), 1]])).rejects.toThrow(UnknownHold);
    });

    it('takes what is free above the hold, and books the rest as a loss', async () => {
      const [id, other] = [unique('task'), unique('task')];
      await hold(id, 30);
      await hold(other, 20);
      const [first, second] = await parts(id, [
        [unique('part'), 25],
        [unique('part'), 90],
      ]);
      expect([first, second]).toMatchObject([
        { charged: 25, writtenOff: 0 },
        { charged: 55, writtenOff: 35 },
      ]);
      expect(await readFigures(store, person)).toMatchObject({ balance: 20, held: 20 });
      for (const each of [id, other]) await ledger.change((context) => releaseTask(context, each));
    });

    it('needs room for all its calls in a budget that counts them', async () => {
      const budget = await addBudget(store, 1_000, { token_id: person.tokenId, max_calls: 3 });
      const payer = { ...person, budgets: [budget] };
      const begin = (calls: number): Promise<string> => {
        const id = unique('task');
        const request = { ...holdRequest(payer, id, 10), calls };
        return ledger.change((context) => holdForTask(context, request)).then(() => id);
      };
      await expect(begin(4)).rejects.toThrow(InsufficientQuota);
      const id = await begin(3);
      await parts(
        id,
        [1, 2, 3].map(() => [unique('part'), 1]),
      );
      await ledger.change((context) => releaseTask(context, id));
      expect(await budgetCalls(store, budget)).toBe(3);
    });
  });

  describe('of a team', () => {
    it('takes from wallet, key and limit, and gives back to all of them', async () => {
      const team = await addTeam(store, ledger, { balance: 100 });
      const member = await addMember(store, ledger, team, { limit: 50, allowance: 80 });
      const id = unique('task');
      await hold(id, 45, member);
      await expect(hold(unique('task'), 10, member)).rejects.toThrow(InsufficientQuota);
      await settle(id, 45, member);
      await refund(id);
      const after = await store.db
        .selectFrom('team_members')
        .select(['remain_quota', 'used_quota', 'held'])
        .where('id', '=', member.memberId)
        .executeTakeFirstOrThrow();
      expect(after).toEqual({ remain_quota: 50, used_quota: 0, held: 0 });
      expect(await readFigures(store, member)).toMatchObject({ balance: 100, remain: 80, used: 0 });
    });
  });

  it('agrees with the books as the audit reads them', async () => {
    const audit = new BookAudit(store.db);
    const id = unique('task');
    await hold(id, 40);
    await settle(id, 40);
    await refund(id);
    await audit.whole();
    expect((await audit.whole()).findings).toEqual([]);
  });
});
