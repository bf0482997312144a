import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { decimal, whole } from './whole.ts';

describe('whole numbers from outside', () => {
  const schema = whole(-5, 1_000);

  it('are numbers or their digits', () => {
    expect([7, '7', ' 12 ', '-5', 0, '0'].map((value) => schema.parse(value))).toEqual([7, 7, 12, -5, 0, 0]);
  });

  it.each([
    null,
    undefined,
    '',
    ' ',
    [],
    [7],
    {},
    true,
    'abc',
    '1e3',
    '0x10',
    '1.5',
    0.5,
    Number.NaN,
    Infinity,
    2 ** 53,
    1e308,
    '9'.repeat(40),
    1_001,
    -6,
  ])('are not %o', (value) => {
    expect(schema.safeParse(value).success).toBe(false);
  });
});

describe('numbers with a fraction from outside', () => {
  const schema = decimal(z.number().positive());

  it('are numbers or their decimals', () => {
    expect([7, '7', ' 12.5 ', 0.25].map((value) => schema.parse(value))).toEqual([7, 7, 12.5, 0.25]);
  });

  it.each([null, '', [], [7], true, '1e3', '0x10', '.5', '5.', -1, '-1', 0, Number.NaN])(
    'are not %o',
    (value) => {
      expect(schema.safeParse(value).success).toBe(false);
    },
  );
});
