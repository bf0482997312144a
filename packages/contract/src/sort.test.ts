import { expect, it } from 'vitest';
import { sortField } from './sort.ts';

const field = sortField(['name', 'used_quota']);

it('a list is ordered by the declared columns and by no others', () => {
  expect(field.parse(undefined)).toBeUndefined();
  expect(field.parse('')).toBeUndefined();
  expect(field.parse('name')).toEqual({ by: 'name', descending: false });
  expect(field.parse('-used_quota')).toEqual({ by: 'used_quota', descending: true });
  for (const wrong of ['key_sealed', '--name', 'name;drop table users', '-', 'constructor'])
    expect(field.safeParse(wrong).success).toBe(false);
});
