import type { Words } from '../words.ts';

/** Ways to sign in, or to prove who one is, by the names that rows and the audit keep. */
const methodNames: Readonly<Record<string, Words>> = {
  password: { zh: '密码', en: 'password' },
  passkey: { zh: '通行密钥', en: 'passkey' },
  '2fa': { zh: '验证码', en: 'authenticator code' },
  github: { zh: 'GitHub', en: 'GitHub' },
  oidc: { zh: 'OIDC', en: 'OIDC' },
  linuxdo: { zh: 'Linux DO', en: 'Linux DO' },
  discord: { zh: 'Discord', en: 'Discord' },
  telegram: { zh: 'Telegram', en: 'Telegram' },
  wechat: { zh: '微信', en: 'WeChat' },
};

/** Name of a way to sign in; a provider that root added has the name that root gave it. */
export const wayToSignIn = (method: string): Words =>
  (Object.hasOwn(methodNames, method) ? methodNames[method] : undefined) ?? { zh: method, en: method };
