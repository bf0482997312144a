import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { payable, extendOp, releaseOp, reserveOp, settleOp } from './ops.ts';
import { accountEntry, newBooks, newChanges, tokenEntry } from './books.ts';
import { perform, plan } from './plan.ts';
import type { ReserveRequest, Settlement } from './types.ts';

const request = (requestId: string, amount: number): ReserveRequest => ({
  requestId,
  accountId: 1,
  userId: 2,
  tokenId: 3,
  channelId: 4,
  tokenUnlimited: false,
  amount,
  request: '',
});

const settlement = (requestId: string, amount: number): Settlement => ({
  requestId,
  amount,
  channelId: 4,
  counts: true,
  log: null,
  hourly: null,
});

function booksWith(balance: number, remain: number) {
  const books = newBooks();
  books.accounts.set(1, accountEntry({ id: 1, balance, held: 0, next_expiry: 0, expired: 0 }, 0));
  books.tokens.set(3, tokenEntry({ id: 3, remain_quota: remain, held: 0, unlimited_quota: 0 }, 0));
  return books;
}

describe('what a balance pays', () => {
  const quota = fc.nat({ max: 1000 });

  it('is never more than the cost or the balance, and never less than the hold covers', () => {
    fc.assert(
      fc.property(quota, quota, quota, quota, (amount, hold, others, free) => {
        const paid = payable(amount, hold, hold + others + free, hold + others);
        expect(paid).toBe(Math.min(amount, hold + free));
      }),
    );
  });

  it('is never below zero, even where more is held than there is', () => {
    fc.assert(
      fc.property(quota, quota, quota, quota, (amount, hold, others, balance) => {
        const paid = payable(amount, hold, balance, hold + others);
        expect(paid).toBeGreaterThanOrEqual(0);
        expect(paid).toBeLessThanOrEqual(Math.min(amount, balance));
      }),
    );
  });
});

describe('a plan', () => {
  it('writes nothing of a hold that was settled before it was stored', () => {
    const books = booksWith(100, 100);
    const changes = plan(books, [
      reserveOp(request('a', 50), 10, 'n'),
      settleOp(settlement('a', 20), 11, undefined, undefined),
    ]);
    expect([...changes.holds].filter(({ stored, open }) => stored || open)).toEqual([]);
    expect(books.accounts.get(1)).toMatchObject({ balance: 80, held: 0, storedBalance: 100 });
    expect(changes.entries).toMatchObject([
      { txn: 'a', account_delta: -20, token_delta: -20, outside_delta: 20 },
    ]);
    expect(books.holds.size).toBe(0);
  });

  it('gives every operation its outcome, in order', () => {
    const ops = [
      reserveOp(request('a', 60), 10, 'n'),
      reserveOp(request('b', 60), 10, 'n'),
      releaseOp('a', undefined),
      reserveOp(request('c', 60), 10, 'n'),
      settleOp(settlement('b', 1), 11, undefined, undefined),
    ];
    plan(booksWith(100, 100), ops);
    expect(ops.map(({ error }) => error?.name)).toEqual([
      undefined,
      'InsufficientQuota',
      undefined,
      undefined,
      'UnknownHold',
    ]);
  });

  it('holds up to an eighth of the rest of balance or allowance beyond the amount asked for', () => {
    const held = (balance: number, remain: number, upTo: number): number => {
      const op = reserveOp({ ...request('a', 100), upTo }, 10, 'n');
      const books = booksWith(balance, remain);
      plan(books, [op]);
      expect(books.accounts.get(1)?.held).toBe(op.amount);
      return op.amount;
    };
    expect(held(10_000, 10_000, 1_000)).toBe(1_000);
    expect(held(900, 10_000, 1_000)).toBe(200);
    expect(held(10_000, 900, 1_000)).toBe(200);
    expect(held(100, 10_000, 1_000)).toBe(100);
    expect(held(900, 900, 50)).toBe(100);
  });

  it('keeps a granted amount when it is planned again on other rows', () => {
    const op = reserveOp({ ...request('a', 100), upTo: 500 }, 10, 'n');
    plan(booksWith(10_000, 10_000), [op]);
    op.announced = true;
    plan(booksWith(900, 900), [op]);
    expect([op.amount, op.error]).toEqual([500, undefined]);
    plan(booksWith(300, 900), [op]);
    expect(op.error?.name).toBe('InsufficientQuota');
  });

  it('extends once, however often it is planned', () => {
    const books = booksWith(100, 100);
    plan(books, [reserveOp(request('a', 10), 10, 'n')]);
    const op = extendOp('a', [30, 0], 10, undefined);
    perform(books, newChanges(), op);
    perform(books, newChanges(), op);
    expect(op.granted).toBe(true);
    expect(books.accounts.get(1)?.held).toBe(40);
  });

  it('sums up the changes of each row', () => {
    const books = booksWith(100, 100);
    const hourly = { modelName: 'm', username: 'u', tokens: 5, at: 7300 };
    const changes = plan(
      books,
      ['a', 'b'].flatMap((id) => [
        reserveOp(request(id, 10), 10, 'n'),
        settleOp({ ...settlement(id, 4), hourly }, 11, undefined, undefined),
      ]),
    );
    expect([...changes.users]).toEqual([[2, { quota: 8, requests: 2 }]]);
    expect([...changes.channels]).toEqual([[4, 8]]);
    expect([...changes.hours.values()]).toEqual([
      { userId: 2, username: 'u', modelName: 'm', hour: 7200, tokens: 10, count: 2, quota: 8 },
    ]);
  });
});
