import type { Words } from '../words.ts';

/** Methods of sign-in or identity proof, by their names in rows and the audit. */
const methodNames: Readonly<Record<string, Words>> = {
  password: { zh: '密码', en: 'password' },
  passkey: { zh: '通行密钥', en: 'passkey' },
  '2fa': { zh: '验证码', en: 'authenticator code' },
  key: { zh: '令牌', en: 'key' },
  github: { zh: 'GitHub', en: 'GitHub' },
  oidc: { zh: 'OIDC', en: 'OIDC' },
  linuxdo: { zh: 'Linux DO', en: 'Linux DO' },
  discord: { zh: 'Discord', en: 'Discord' },
  telegram: { zh: 'Telegram', en: 'Telegram' },
  wechat: { zh: '微信', en: 'WeChat' },
};

/** Display name of a sign-in method. A provider of root's has the name that root assigned. */
export const wayToSignIn = (method: string): Words =>
  (Object.hasOwn(methodNames, method) ? methodNames[method] : undefined) ?? { zh: method, en: method };
