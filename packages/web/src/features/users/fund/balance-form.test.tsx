import { expect, test } from 'vitest';
import { amountProblem, balanceAfter, type FundMode } from './balance-body.tsx';

const after = (mode: FundMode, amount: number | string) => balanceAfter({ mode, amount }, 100);
const problem = (mode: FundMode, amount: number | string) => amountProblem({ mode, amount }, 100);

test('the balance afterwards is shown to the unit', () => {
  expect(after('add', 50)).toBe(150);
  expect(after('subtract', 50)).toBe(50);
  expect(after('override', 7)).toBe(7);
  expect(after('override', 0)).toBe(0);
});

test('an invalid amount changes nothing', () => {
  for (const amount of ['', -1, 0.5, 'many']) expect(after('add', amount)).toBeNull();
});

test('an amount of zero, or above the balance, is refused before it is sent', () => {
  expect(problem('add', '')).toBe('amountInvalid');
  expect(problem('add', 0)).toBe('amountInvalid');
  expect(problem('subtract', 101)).toBe('tooMuch');
  expect(problem('subtract', 100)).toBeNull();
  expect(problem('override', '')).toBe('targetInvalid');
  expect(problem('override', 100)).toBe('unchanged');
  expect(problem('override', 0)).toBeNull();
});
