import { expect, test } from 'vitest';
import { transferProblem } from './invitation-panel.tsx';

const bounds = { least: 500_000, reward: 1_200_000 };

test('at least one dollar and at most the reward can be moved', () => {
  expect(transferProblem(500_000, bounds)).toBeNull();
  expect(transferProblem(1_200_000, bounds)).toBeNull();
  expect(transferProblem(499_999, bounds)).toBe('tooSmall');
  expect(transferProblem(1_200_001, bounds)).toBe('tooMuch');
});

test('an amount that is not whole is invalid', () => {
  for (const amount of ['', 'all', 500_000.5, Number.NaN])
    expect(transferProblem(amount, bounds)).toBe('invalid');
});
