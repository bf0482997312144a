import { expect, test } from 'vitest';
import { monthName, monthsSince } from './statement.tsx';

const at = (text: string) => Date.parse(text) / 1000;

test('the months go back from this one to the first, across a new year, in UTC', () => {
  expect(monthsSince(at('2025-11-30T23:59:59Z'), at('2026-02-01T00:00:00Z'))).toEqual([
    '2026-02',
    '2026-01',
    '2025-12',
    '2025-11',
  ]);
  expect(monthsSince(at('2026-02-10T00:00:00Z'), at('2026-02-10T00:00:01Z'))).toEqual(['2026-02']);
  expect(monthsSince(at('2000-01-01T00:00:00Z'), at('2026-02-01T00:00:00Z'))).toHaveLength(36);
});

test('a month has its name in both languages', () => {
  expect(monthName('2026-11', 'en')).toBe('November 2026');
  expect(monthName('2026-11', 'zh-CN')).toBe('2026年11月');
});
