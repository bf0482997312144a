import { expect, test } from 'vitest';
import {
  completionRatioOf,
  dollarsOf,
  outputDollarsOf,
  ratioOf,
  rowsOf,
  setCost,
  unpriced,
} from './model-prices.ts';

const tables = {
  ModelPrice: { painter: 0.04 },
  ModelRatio: { chat: 1.25, other: 2 },
  CompletionRatio: { chat: 4 },
};

test('a ratio is two dollars per million, both ways and without floating point error', () => {
  expect(dollarsOf(0.075)).toBe(0.15);
  expect(ratioOf(0.15)).toBe(0.075);
  expect(outputDollarsOf(0.075, 4)).toBe(0.6);
  expect(completionRatioOf(0.15, 0.6)).toBe(4);
  expect(completionRatioOf(0, 0.6)).toBeNull();
});

test('a price per call clears the ratios of a model and of no other', () => {
  const next = setCost(tables, ['chat'], { mode: 'request', price: 0.1 });
  expect(next.ModelPrice).toEqual({ painter: 0.04, chat: 0.1 });
  expect(next.ModelRatio).toEqual({ other: 2 });
  expect(next.CompletionRatio).toEqual({});
});

test('ratios clear the price, and an empty completion ratio leaves the default of the family', () => {
  const next = setCost(tables, ['painter', 'chat'], { mode: 'token', ratio: 3, completionRatio: null });
  expect(next.ModelPrice).toEqual({});
  expect(next.ModelRatio).toEqual({ other: 2, painter: 3, chat: 3 });
  expect(next.CompletionRatio).toEqual({});
});

test('rows include every model that any table names', () => {
  expect(rowsOf(tables).map(({ name }) => name)).toEqual(['chat', 'other', 'painter']);
});

test('a model leaves the list of unpriced ones once it has a price or a ratio', () => {
  const enabled = ['new', 'chat', 'painter', 'gpt-4-gizmo-g-1', 'new'];
  expect(unpriced(enabled, tables)).toEqual(['gpt-4-gizmo-g-1', 'new']);
  const priced = setCost(tables, ['new', 'gpt-4-gizmo-*'], { mode: 'request', price: 0 });
  expect(unpriced(enabled, priced)).toEqual([]);
});
