import { expect, test } from 'vitest';
import { costOf, costProblems, emptyCost, formOfRow, switchEntry } from './cost-form.ts';

test('switching between ratio and dollars recomputes the fields, there and back', () => {
  const form = { ...emptyCost, entry: 'ratio', ratio: '1.25', completionRatio: '4' } as const;
  const dollars = switchEntry(form, 'dollars');
  expect(dollars).toMatchObject({ inputDollars: '2.5', outputDollars: '10' });
  expect(switchEntry({ ...dollars, outputDollars: '20' }, 'ratio')).toMatchObject({
    ratio: '1.25',
    completionRatio: '8',
  });
});

test('a price opens in dollars, and unchanged keeps its exact ratios', () => {
  const row = { name: 'chat', price: null, ratio: 0.1234567890123, completionRatio: 3.3333333333333 };
  const form = formOfRow(row);
  expect(form).toMatchObject({ entry: 'dollars', inputDollars: '0.246913578025' });
  expect(costOf(form)).toEqual({ mode: 'token', ratio: row.ratio, completionRatio: row.completionRatio });
});

test('dollars are stored as ratios', () => {
  const form = { ...emptyCost, entry: 'dollars', inputDollars: '0.15', outputDollars: '0.6' } as const;
  expect(costOf(form)).toEqual({ mode: 'token', ratio: 0.075, completionRatio: 4 });
  expect(costOf({ ...form, outputDollars: '' })).toEqual({
    mode: 'token',
    ratio: 0.075,
    completionRatio: null,
  });
});

test('a model with a price per call opens as such', () => {
  const form = formOfRow({ name: 'painter', price: 0.04, ratio: null, completionRatio: null });
  expect(costOf(form)).toEqual({ mode: 'request', price: 0.04 });
});

test('invalid numbers, empty fields and existing names are marked', () => {
  const names = { taken: ['chat'], asked: true, filling: false };
  expect(costProblems({ ...emptyCost, name: ' chat ', inputDollars: 'two' }, names)).toEqual({
    name: 'exists',
    inputDollars: 'enterNumber',
  });
  const batch = { taken: [], asked: false, filling: true };
  expect(costProblems({ ...emptyCost, mode: 'request' }, batch)).toEqual({
    price: 'enterFill',
  });
  expect(costProblems({ ...emptyCost, mode: 'request', price: '0' }, batch)).toEqual({ price: 'priceZero' });
});
