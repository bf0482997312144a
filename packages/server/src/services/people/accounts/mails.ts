import { fillWords, type Language, type Words } from '@tollgate/contract';
import { escapeHtml, type Mail } from '../../site/notify/index.ts';

/** Subjects, and texts with one paragraph per line: `{site}`, `{code}` and `{link}` are replaced. */
const texts = {
  codeSubject: { zh: '{site}邮箱验证邮件', en: '{site}: your verification code' },
  codeText: {
    zh: '您好，您正在进行{site}邮箱验证。\n您的验证码为：{code}\n验证码 10 分钟内有效，如果不是本人操作，请忽略。',
    en: 'Somebody wants to use this address at {site}.\nYour code is: {code}\nIt is valid for 10 minutes. If it was not you, ignore this mail.',
  },
  takenSubject: { zh: '{site}：此邮箱已注册', en: '{site}: you have an account already' },
  takenText: {
    zh: '您好，有人想在{site}使用此邮箱，但它已属于一个账户。\n如果忘记了密码，可以在登录页重置。如果不是本人操作，请忽略。',
    en: 'Somebody wants to use this address at {site}, but it belongs to an account already.\nIf you forgot your password, you can reset it on the log-in page. If it was not you, ignore this mail.',
  },
  resetSubject: { zh: '{site}密码重置', en: '{site}: reset your password' },
  resetText: {
    zh: '您好，您正在进行{site}密码重置。\n请打开以下链接：{link}\n链接 10 分钟内有效，如果不是本人操作，请忽略。',
    en: 'Somebody wants to reset the password of your account at {site}.\nOpen this link: {link}\nIt is valid for 10 minutes. If it was not you, ignore this mail.',
  },
  changedSubject: { zh: '{site}：账户安全提醒', en: '{site}: a change of your account' },
  passwordText: {
    zh: '您好，您在{site}的密码刚刚被重置，所有登录均已退出。\n如果不是本人操作，请立刻联系管理员。',
    en: 'The password of your account at {site} was reset a moment ago, and all its sessions have ended.\nIf it was not you, contact the administrator at once.',
  },
  addressText: {
    zh: '您好，您在{site}的账户刚刚更换了绑定邮箱，此邮箱不再属于该账户。\n如果不是本人操作，请立刻联系管理员。',
    en: 'Your account at {site} has another e-mail address from now on; this one no longer belongs to it.\nIf it was not you, contact the administrator at once.',
  },
  tokenText: {
    zh: '您好，您在{site}的账户刚刚生成了系统访问令牌“{token}”，持有者可以代表您调用管理接口。\n如果不是本人操作，请立刻在个人设置中吊销它，修改密码并联系管理员。',
    en: 'A system access token named “{token}” was made for your account at {site}. Whoever has it can call the management API as you.\nIf it was not you, revoke it in your personal settings, change your password and contact the administrator at once.',
  },
  factorOnText: {
    zh: '您好，您在{site}的账户刚刚添加了一种两步验证方式，登录时会要求验证。\n如果不是本人操作，请立刻修改密码并联系管理员。',
    en: 'Your account at {site} has a further way to prove who you are, which is asked for when you sign in.\nIf it was not you, change your password and contact the administrator at once.',
  },
  factorOffText: {
    zh: '您好，您在{site}的账户刚刚移除了一种两步验证方式。\n如果不是本人操作，请立刻修改密码并联系管理员。',
    en: 'A way to prove who you are was removed from your account at {site}.\nIf it was not you, change your password and contact the administrator at once.',
  },
  factorResetText: {
    zh: '您好，管理员刚刚重置了您在{site}的两步验证，您可以在个人设置中重新设置。\n如果您没有提出过请求，请联系管理员。',
    en: 'An administrator reset the two-step sign-in of your account at {site}. You can set it up again in your personal settings.\nIf you did not ask for it, contact the administrator.',
  },
} satisfies Record<string, Words>;

/** The purposes of account mails. */
export type AccountMail =
  | 'code'
  | 'taken'
  | 'reset'
  | 'password'
  | 'address'
  | 'token'
  | 'factorOn'
  | 'factorOff'
  | 'factorReset';

const subjects: Record<AccountMail, Words> = {
  code: texts.codeSubject,
  taken: texts.takenSubject,
  reset: texts.resetSubject,
  password: texts.changedSubject,
  address: texts.changedSubject,
  token: texts.changedSubject,
  factorOn: texts.changedSubject,
  factorOff: texts.changedSubject,
  factorReset: texts.changedSubject,
};
const bodies: Record<AccountMail, Words> = {
  code: texts.codeText,
  taken: texts.takenText,
  reset: texts.resetText,
  password: texts.passwordText,
  address: texts.addressText,
  token: texts.tokenText,
  factorOn: texts.factorOnText,
  factorOff: texts.factorOffText,
  factorReset: texts.factorResetText,
};

/** Values for the placeholders of a mail. */
export interface MailValues {
  /** The site's name. */
  site: string;
  code?: string;
  link?: string;
  /** The name of an access token. */
  token?: string;
}

/** A value as HTML: escaped, the code in bold, the link as a link. */
function asHtml(name: string, value: string): string {
  const text = escapeHtml(value);
  if (name === 'code') return `<strong style="font-size:1.4em;letter-spacing:.15em">${text}</strong>`;
  return name === 'link' ? `<a href="${text}">${text}</a>` : text;
}

/** Writes an account mail in the recipient's language, as HTML and as plain text. */
export function writeAccountMail(
  to: string,
  letter: AccountMail,
  values: MailValues,
  language: Language,
): Mail {
  const words = Object.fromEntries(Object.entries(values));
  const html = Object.fromEntries(Object.entries(words).map(([name, value]) => [name, asHtml(name, value)]));
  const lines = bodies[letter][language].split('\n');
  return {
    to,
    subject: fillWords(subjects[letter][language], words),
    html: lines.map((line) => `<p>${fillWords(line, html)}</p>`).join('\n'),
    text: lines.map((line) => fillWords(line, words)).join('\n\n'),
  };
}
