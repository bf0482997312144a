import { deepEqual } from 'node:assert/strict';
import { beforeEach, expect, it } from 'vitest';
import { eachDialect } from '../../../store/each-dialect.ts';
import type { Store } from '../../../store/index.ts';
import { checkBooks, InsufficientQuota } from '../../money/ledger/index.ts';
import { addMember, addTeam } from '../../money/ledger/testing/team-bed.ts';
import {
  addBudget,
  addPerson,
  budgetFigures,
  holdRequest,
  openLedger,
  type Person,
  readFigures,
  recordingLog,
  unique,
} from '../../money/ledger/testing/test-bed.ts';
import { createSales, type NewSale, type Sale, type Sales } from './sales.ts';
import { createTasks } from './tasks.ts';

eachDialect('sales', ({ open }) => {
  let store: Store;
  let ledger: ReturnType<typeof openLedger>;
  let sales: Sales;
  let person: Person;
  let now: number;
  const words = { logsConsumption: () => true, sumsHourly: () => true };
  beforeEach(async () => {
    now = 1_700_000_000_000;
    store = await open();
    ledger = openLedger(store);
    const clock = () => now;
    sales = createSales({ db: store.db, ledger, clock, log: recordingLog(), ...words });
    person = await addPerson(store, ledger, { balance: 100, allowance: 80 });
    return async () => {
      deepEqual(await checkBooks(store.db, { atRest: true }), []);
      await ledger.close();
    };
  });

  const asked = (payer = person, amount = 50, saleId = `hold_${unique('id')}`): NewSale => ({
    saleId,
    name: 'ocr-pages',
    description: 'a book',
    bodyHash: 'hash',
    buyer: {
      username: payer.username,
      tokenId: payer.tokenId,
      tokenName: 'token',
      team: null,
      group: 'default',
    },
    until: now + 3_600_000,
    hold: holdRequest(payer, unique('request'), amount),
  });
  const held = async (payer = person, amount = 50): Promise<Sale> =>
    (await sales.begin(asked(payer, amount))).sale;
  const rows = () =>
    store.db.selectFrom('logs').select(['type', 'quota', 'model_name']).where('type', '=', 2).execute();

  it('hold their amount and charge what was used, once, with a log row', async () => {
    const sale = await held();
    expect(await readFigures(store, person)).toMatchObject({ balance: 100, held: 50, remain: 80 });
    const ends = await Promise.all([1, 2, 3].map(() => sales.settle(sale, 30)));
    expect(ends.filter(Boolean)).toMatchObject([{ charged: 30, writtenOff: 0, balance: 70 }]);
    expect(await readFigures(store, person)).toMatchObject({ balance: 70, held: 0, remain: 50, requests: 1 });
    expect(await rows()).toEqual([{ type: 2, quota: 30, model_name: 'app:ocr-pages' }]);
    expect(await sales.release(sale)).toBe(false);
    expect(await sales.find(sale.saleId)).toMatchObject({ state: 'settled', held: 50, charged: 30 });
  });

  it('charge more than they hold if it is free, and keep the hold if it is not', async () => {
    const budget = await addBudget(store, 70, { token_id: person.tokenId });
    const sale = await held({ ...person, budgets: [budget] });
    const other = await held(person, 20);
    for (const amount of [71, 101])
      await expect(sales.settle(sale, amount)).rejects.toThrow(InsufficientQuota);
    await expect(sales.settle(await held(person, 5), 11)).rejects.toThrow(InsufficientQuota);
    expect(await readFigures(store, person)).toMatchObject({ balance: 100, held: 75 });
    expect(await budgetFigures(store, budget)).toMatchObject({ held: 50, used: 0 });
    expect(await sales.settle(sale, 55)).toMatchObject({ charged: 55, writtenOff: 0 });
    expect(await budgetFigures(store, budget)).toMatchObject({ held: 0, used: 55 });
    await sales.release(other);
    now += 3_600_000;
    expect(await sales.releaseExpired()).toBe(1);
  });

  it('write nothing off where the balance was lowered below their hold', async () => {
    const sale = await held();
    const { accountId, userId } = person;
    const lowered = { accountId, userId, change: { to: 30 }, actorId: 1, reason: 'a test' };
    await ledger.adjust({ ...lowered, txn: unique('adjust') });
    await expect(sales.settle(sale, 40)).rejects.toThrow(InsufficientQuota);
    expect(await sales.settle(sale, 30)).toMatchObject({ charged: 30, writtenOff: 0 });
  });

  it('of one name are one hold, however many calls begin it at once', async () => {
    const begun = await Promise.all([1, 2, 3, 4].map(() => sales.begin(asked(person, 40, 'hold_same'))));
    expect(begun.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(new Set(begun.map(({ sale }) => sale.requestId)).size).toBe(1);
    expect(await readFigures(store, person)).toMatchObject({ held: 40 });
    await sales.release(begun[0]!.sale);
  });

  it('are paid by organisation and member limit', async () => {
    const team = await addTeam(store, ledger, { balance: 1_000 });
    const member = await addMember(store, ledger, team, { limit: 60 });
    await expect(sales.begin(asked(member, 61))).rejects.toThrow(InsufficientQuota);
    const sale = await held(member, 50);
    await expect(sales.settle(sale, 61)).rejects.toThrow(InsufficientQuota);
    expect(await sales.settle(sale, 60)).toMatchObject({ charged: 60, balance: 940 });
  });

  it('outlive restarts of every process, and end by themselves at their time', async () => {
    const [sale, settled] = [await held(), await held(person, 20)];
    await ledger.recover();
    const tasks = createTasks({
      db: store.db,
      ledger,
      clock: () => now,
      node: '',
      isFirst: true,
      showQuota: String,
      ...words,
    });
    expect(await tasks.recover()).toBe(0);
    now += 3_599_000;
    expect([await sales.releaseExpired(), await tasks.due(10)]).toEqual([0, []]);
    expect(await sales.settle(settled, 20)).toMatchObject({ charged: 20 });
    now += 1_000;
    expect([await tasks.due(10), await sales.releaseExpired(), await sales.releaseExpired()]).toEqual([
      [],
      1,
      0,
    ]);
    expect(await sales.settle(sale, 10)).toBeUndefined();
    expect(await readFigures(store, person)).toMatchObject({ balance: 80, held: 0 });
    expect(await sales.find(sale.saleId)).toMatchObject({ state: 'released', charged: 0 });
  });

  it('are no tasks of a vendor', async () => {
    const sale = await held();
    const tasks = createTasks({
      db: store.db,
      ledger,
      clock: () => now,
      node: 'one',
      showQuota: String,
      ...words,
    });
    expect(await tasks.find(sale.saleId)).toBeUndefined();
    expect(await tasks.findOwn(person.userId, sale.saleId)).toBeUndefined();
    expect(await tasks.hint(person.userId, '')).toBe(0);
    await sales.release(sale);
  });

  it('of storage are held whole, charged for their time once, and never more than was held', async () => {
    const hour = 3_600_000;
    const { sale } = await sales.begin(asked(person, 10));
    const storage = { unitsPerHour: 20, since: now, until: now + 2 * hour };
    const added: number[] = [];
    const stored = (await sales.store(sale, storage, (db) => Promise.resolve(void added.push(db ? 1 : 0))))!;
    expect([added, (await readFigures(store, person)).held]).toEqual([[1], 40]);
    await expect(sales.store(stored, { ...storage, until: now + 5 * hour })).rejects.toThrow(
      InsufficientQuota,
    );
    now += hour / 4;
    await sales.store(stored, { ...storage, endedAt: now });
    expect([await sales.releaseExpired(), ((now += hour), await sales.releaseExpired())]).toEqual([0, 1]);
    expect(await readFigures(store, person)).toMatchObject({ balance: 95, held: 0 });
    expect([
      await sales.settle(stored, 40),
      await sales.store(stored, storage),
      await sales.release(sale),
    ]).toEqual([undefined, undefined, false]);
  });
});
