import { describe, expect, it } from 'vitest';
import { consoleApis } from './api/all.ts';
import { maxPageSize } from './envelope.ts';

const names = ['page_size', 'size', 'limit'] as const;
/** Calls that take a number of rows, with the name of that parameter. */
const calls = consoleApis.flatMap((api) => Object.values(api.calls));
const paged = calls.flatMap((each) => {
  const empty = each.input.safeParse({ id: 1 });
  const values = (empty.data ?? {}) as Record<string, unknown>;
  const name = names.find((known) => typeof values[known] === 'number');
  return name ? [{ call: `${each.method} ${each.path}`, each, name, usual: values[name] }] : [];
});

describe('the number of rows of a list', () => {
  it.each(paged)('$call: at most a hundred, and the default for invalid values', ({ each, name, usual }) => {
    const rows = (asked: unknown) =>
      (each.input.parse({ id: 1, [name]: asked }) as Record<string, unknown>)[name];
    expect([rows('1000'), rows('101'), rows(String(Number.MAX_SAFE_INTEGER))]).toEqual(
      Array(3).fill(maxPageSize),
    );
    expect([rows('1'), rows('100'), rows('20')]).toEqual([1, maxPageSize, 20]);
    for (const nonsense of ['', '0', '-5', 'many', '1.5', 'Infinity', null, {}])
      expect(rows(nonsense)).toBe(usual);
  });

  it('is bounded for all lists', () => expect(paged.length).toBeGreaterThan(12));
});
