import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eachDialect } from '../../../store/each-dialect.ts';
import { type Store, topUps } from '../../../store/index.ts';
import { addPerson, openLedger, type Person, unique } from './testing/test-bed.ts';
import { completeTopUp } from './verbs/complete-top-up.ts';
import { findFacts } from './verbs/invoice.ts';
import { refundTopUp } from './verbs/refund-top-up.ts';

const runs = Number(process.env['FUZZ_RUNS'] ?? 8);
const issuer = {
  name: 'Seller',
  address: 'Street 1',
  taxId: '',
  footer: '',
  prefix: 'T-',
  timeZone: 'UTC',
  perUnit: 500_000,
};
const year = { 2026: Date.UTC(2026, 11, 31, 23), 2027: Date.UTC(2027, 0, 1, 1) };

/** An attempt at an order; those of a batch run at once, at both processes. */
const attempt = fc.record({
  order: fc.nat(7),
  refund: fc.boolean(),
  // What the provider has paid back: the share, not known yet, or less.
  paid: fc.constantFrom(undefined, null, 200n),
  // How its transaction ends.
  undone: fc.boolean(),
  on: fc.boolean(),
  second: fc.boolean(),
});
const batch = fc.record({
  at: fc.constantFrom(2026 as const, 2027 as const),
  attempts: fc.array(attempt, { minLength: 1, maxLength: 8 }),
});
type Batch = typeof batch extends fc.Arbitrary<infer T> ? T : never;

const back = { actorId: 1, reason: 'x', content: String };

class Undone extends Error {}

eachDialect('numbers of invoices', ({ open, openAgain }) => {
  const clock = { now: year[2026] };
  let store: Store;
  let ledgers: ReturnType<typeof openLedger>[];
  let person: Person;

  beforeEach(async () => {
    store = await open();
    const options = { clock: () => clock.now };
    ledgers = [
      openLedger(store, { ...options, node: 'one' }),
      openLedger(await openAgain(), { ...options, node: 'other' }),
    ];
    person = await addPerson(store, ledgers[0]!, { balance: 0 });
  });
  afterEach(async () => {
    for (const ledger of ledgers) await ledger.close();
  });

  const place = async (): Promise<string> => {
    const tradeNo = unique('order');
    const order = { amount: 1, quota: 1_000, money: '7.31', provider: 'epay', payment_method: 'alipay' };
    await topUps.create(store.db, { ...order, trade_no: tradeNo, user_id: person.userId, create_time: 5 });
    return tradeNo;
  };

  /** All numbers of both series in the order of their years, and the last one of each. */
  async function readNumbers() {
    const rows = await store.db.selectFrom('invoices').select(['series', 'year', 'number']).execute();
    const last = await store.db.selectFrom('invoice_numbers').selectAll().execute();
    return last.map(({ series, year: of, last: most }) => ({
      most,
      taken: rows
        .filter((row) => row.series === series && row.year === of)
        .map(({ number }) => number)
        .toSorted((a, b) => a - b),
    }));
  }

  async function live(batches: readonly Batch[]): Promise<void> {
    const orders = await Promise.all(Array.from({ length: 8 }, place));
    /** Orders whose completion had the setting on. */
    const invoiced = new Set<string>();
    for (const { at, attempts } of batches) {
      clock.now = year[at];
      const tries = attempts.map(({ order, refund, paid, undone, on, second }) => {
        const tradeNo = orders[order]!;
        return ledgers[second ? 1 : 0]!.change(async (context) => {
          const done = refund
            ? await refundTopUp(context, { ...back, tradeNo, ...(paid !== undefined && { paid }) })
            : await completeTopUp(context, {
                tradeNo,
                provider: 'epay',
                money: '7.31',
                content: String,
                sale: on ? { issuer } : undefined,
              });
          if (undone) throw new Undone('rolled back');
          if (done.outcome === 'credited' && on) invoiced.add(tradeNo);
        });
      });
      for (const done of await Promise.allSettled(tries))
        if (done.status === 'rejected' && !(done.reason instanceof Undone)) throw done.reason;
    }
    // What is not known yet becomes known, to both processes.
    for (const tradeNo of orders)
      await Promise.all(ledgers.map((ledger) => ledger.refundTopUp({ ...back, tradeNo, paid: 200n })));
    for (const { most, taken } of await readNumbers())
      expect(taken).toEqual(Array.from({ length: most }, (_, index) => index + 1));
    for (const tradeNo of orders) {
      const order = (await topUps.findByTradeNo(store.db, tradeNo))!;
      const invoice = await findFacts(store.db, tradeNo, 'invoice');
      const note = await findFacts(store.db, tradeNo, 'credit_note');
      expect([order.invoice, order.credit_note]).toEqual([invoice?.code ?? '', note?.code ?? '']);
      expect(order.invoice !== '').toBe(invoiced.has(tradeNo));
      expect(order.credit_note !== '').toBe(invoiced.has(tradeNo) && order.status === 'refunded');
      expect(note?.about?.code).toBe(note && invoice?.code);
      expect(['7.31', '2.00', undefined]).toContain(note?.money);
    }
  }

  it('have no gap and no double, whatever runs at once or is rolled back', { timeout: 1_200_000 }, () =>
    fc.assert(fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 5 }), live), { numRuns: runs }),
  );

  it('count each series and year from one, and a credit note says what was paid back', async () => {
    const sale = { issuer, tax: '1.39' };
    const done = { provider: 'epay', money: '7.31', content: String, sale };
    const [first, second] = [await place(), await place()];
    clock.now = year[2026];
    await ledgers[0]!.completeTopUp({ ...done, tradeNo: first });
    clock.now = year[2027];
    await ledgers[1]!.completeTopUp({ ...done, tradeNo: second });
    // A third of the credit of both is used.
    await ledgers[0]!.adjust({
      txn: unique('use'),
      accountId: person.accountId,
      userId: person.userId,
      change: { by: -667 },
      actorId: 1,
      reason: 'use',
    });
    const refund = { actorId: 1, reason: 'x', content: String };
    const moved = { ...issuer, name: 'Seller AG' };
    await ledgers[0]!.refundTopUp({ ...refund, tradeNo: first, issuer: moved });
    await ledgers[0]!.refundTopUp({ ...refund, tradeNo: second, inFull: true });
    expect(await findFacts(store.db, first, 'invoice')).toMatchObject({
      code: 'T-2026-000001',
      date: '2026-12-31',
      money: '7.31',
      tax: '1.39',
      buyer: { name: person.username },
    });
    expect(await findFacts(store.db, second, 'invoice')).toMatchObject({ code: 'T-2027-000001' });
    const { tax, ...share } = (await findFacts(store.db, first, 'credit_note'))!;
    expect(tax).toBeUndefined();
    expect(share).toMatchObject({
      code: 'T-2027-C000001',
      issuer: { name: 'Seller AG' },
      // 333 of 1,000 are left: 2.43423, rounded down.
      quota: 333,
      money: '2.43',
      about: { code: 'T-2026-000001', date: '2026-12-31' },
    });
    expect(await findFacts(store.db, second, 'credit_note')).toMatchObject({
      code: 'T-2027-C000002',
      issuer: { name: 'Seller' },
      quota: 1_000,
      money: '7.31',
      tax: '1.39',
      about: { code: 'T-2027-000001' },
    });
  });
});
