import { expect, test } from 'vitest';
import { directionOf, nextSort } from './table-rows.tsx';

test('a header cycles through its default direction, the other one, and the order of the list', () => {
  expect(nextSort('name', '', false)).toBe('name');
  expect(nextSort('name', 'name', false)).toBe('-name');
  expect(nextSort('name', '-name', false)).toBe('');
  expect(nextSort('used_quota', 'name', true)).toBe('-used_quota');
  expect(nextSort('used_quota', '-used_quota', true)).toBe('used_quota');
  expect(nextSort('used_quota', 'used_quota', true)).toBe('');
});

test('a header shows its own direction alone', () => {
  expect(directionOf('name', 'name')).toBe('ascending');
  expect(directionOf('name', '-name')).toBe('descending');
  expect(directionOf('name', '-names')).toBeNull();
});
