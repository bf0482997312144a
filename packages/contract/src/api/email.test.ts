import { expect, test } from 'vitest';
import { emailApi } from './email.ts';

test('an address far beyond the bound is refused without being searched for its dots', () => {
  const { input } = emailApi.reset;
  const long = `a@${'.'.repeat(1_000_000)}@`;
  const parsed = input.safeParse({ email: long, token: 't' });
  expect(parsed.error?.issues.map(({ code }) => code)).toEqual(['too_big']);
  expect(input.safeParse({ email: 'nonsense', token: 't' }).error?.issues[0]?.message).toBe(
    'email_malformed',
  );
  expect(input.parse({ email: ' ann@example.com ', token: 't' })).toMatchObject({ email: 'ann@example.com' });
});
