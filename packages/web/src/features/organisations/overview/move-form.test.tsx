import { expect, test } from 'vitest';
import { amountProblem, walletsAfter } from './move-body.tsx';

const wallets = { own: 100, team: 40 };

test('what leaves one wallet is in the other, to the unit', () => {
  expect(walletsAfter(30, 'fund', wallets)).toEqual({ own: 70, team: 70 });
  expect(walletsAfter(40, 'withdraw', wallets)).toEqual({ own: 140, team: 0 });
});

test('an amount of zero, or above the balance, is refused before it is sent', () => {
  for (const amount of ['', 0, -1, 0.5, 'many'])
    expect(amountProblem(amount, 'fund', wallets)).toBe('amountInvalid');
  expect(amountProblem(101, 'fund', wallets)).toBe('tooMuch');
  expect(amountProblem(41, 'withdraw', wallets)).toBe('tooMuch');
  expect(amountProblem(41, 'fund', wallets)).toBeNull();
  expect(walletsAfter(41, 'withdraw', wallets)).toBeNull();
});
