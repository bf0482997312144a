import { expect, test } from 'vitest';
import { searchSections } from './sections.ts';

const found = (words: string) => searchSections(words).flatMap(({ keys }) => keys);

test('words are found anywhere, not as one phrase', () => {
  expect(found('Password login')).toContain('PasswordLoginEnabled');
  expect(found('login password')).toContain('PasswordLoginEnabled');
  expect(found('PasswordLogin')).toContain('PasswordLoginEnabled');
  expect(found('密码 登录')).toContain('PasswordLoginEnabled');
});

test.each(['quota unit', 'quota units', '额度单位', '单位美元额度'])(
  '%s finds the units in a dollar',
  (words) => {
    expect(found(words)).toContain('QuotaPerUnit');
  },
);

test.each([
  ['SAML', 'oidc.enabled'],
  ['SCIM', 'SignInRules'],
])('%s finds where it is set up', (words, key) => {
  expect(found(words)).toContain(key);
});

test('a whole word is not a part of another', () => {
  expect(found('log')).toContain('LogConsumeEnabled');
  expect(found('log')).not.toContain('PasswordLoginEnabled');
  expect(found('log')).not.toContain('Logo');
});

test('an incomplete word is found by its beginning', () => {
  expect(found('passw')).toContain('PasswordLoginEnabled');
  expect(found('no such setting')).toEqual([]);
});
