import { describe, expect, it } from 'vitest';
import { keptInChinese, keptInEnglish } from './kept-in-english.ts';
import { keptText } from './kept-texts.ts';
import { wayToSignIn } from './sign-in-ways.ts';

describe('the row of a sign-in', () => {
  it.each([
    ['password', '登录成功，方式：密码', 'Signed in with password'],
    ['passkey', '登录成功，方式：通行密钥', 'Signed in with passkey'],
    ['wechat', '登录成功，方式：微信', 'Signed in with WeChat'],
    ['linuxdo', '登录成功，方式：Linux DO', 'Signed in with Linux DO'],
    ['company', '登录成功，方式：company', 'Signed in with company'],
    ['constructor', '登录成功，方式：constructor', 'Signed in with constructor'],
  ])('by %s is in the language of its readers', (method, zh, en) => {
    const row = keptText('signedIn', { method });
    expect(keptInChinese(row)).toBe(zh);
    expect(keptInEnglish(row)).toBe(en);
  });

  it('leaves other rows as they are', () => {
    expect(keptInChinese('新用户注册赠送 ＄0.200000 额度')).toBe('新用户注册赠送 ＄0.200000 额度');
    expect(keptInChinese('password')).toBe('password');
  });
});

it('each sign-in method has a name in both languages', () => {
  for (const method of [
    'password',
    'passkey',
    '2fa',
    'github',
    'oidc',
    'linuxdo',
    'discord',
    'telegram',
    'wechat',
  ])
    for (const words of Object.values(wayToSignIn(method))) expect(words).not.toBe('');
});
