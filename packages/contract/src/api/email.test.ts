import { describe, expect, it, test } from 'vitest';
import { emailApi, isMailAddress } from './email.ts';

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

describe('an address', () => {
  it.each([
    'x;ann@example.com',
    'ann@example.com;',
    'x,ann@example.com',
    'ann@example.com,',
    '<ann@example.com>',
    'Ann<ann@example.com>',
    '"ann"@example.com',
    'ann(x)@example.com',
    'group:ann@example.com',
    'ann\\@example.com',
    'ann@example.com.',
    'ann@.example.com',
    'ann@example..com',
    'ann@[127.0.0.1]',
    'ann@example。com',
    'ann@ｅxample.com',
    'ａnn@example.com',
    'ann＠example.com',
    'an\u200bn@example.com',
    'ann\u00ad@example.com',
    'ann@exam\u2060ple.com',
    '\u202eann@example.com',
    'ann@\u212aeeper.example',
    'ann@example.com\r\nbcc:eve@example.com',
    'ann@example.com@eve.example',
    'ann @example.com',
    'ann@',
    '@example.com',
    '',
  ])('that is not one mailbox in its one spelling is none: %j', (address) => {
    expect(isMailAddress(address)).toBe(false);
    expect(emailApi.sendCode.input.safeParse({ email: address }).success).toBe(false);
  });

  it.each(['ann@example.com', 'Ann.B+c@Example.COM', "o'neil@example.co.uk", '小明@例子.中国', 'a@b.c'])(
    'may be that of anybody: %s',
    (address) => {
      expect(emailApi.sendCode.input.parse({ email: address })).toMatchObject({ email: address });
    },
  );
});
