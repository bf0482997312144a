import { settingError } from '../setting-error.ts';
import { group, list, toggle } from '../define.ts';

const domainPattern = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/i;

/** What a field may hold; the server checks it again. */
function checkDomains(domains: readonly string[]): void {
  if (!domains.every((domain) => domainPattern.test(domain))) throw settingError('email_domain_invalid');
  const different = new Set(domains.map((domain) => domain.toLowerCase()));
  if (different.size < domains.length) throw settingError('email_domain_duplicate');
}

export const login = group(
  'sign-in',
  { zh: '配置登录注册', en: 'Sign-in and sign-up' },
  {
    PasswordLoginEnabled: toggle({
      default: true,
      publicAs: 'password_login_enabled',
      label: { zh: '允许通过密码进行登录', en: 'Sign in with a password' },
      help: {
        zh: '关闭后未绑定其他登录方式的用户将无法登录',
        en: 'Off: users without another sign-in method are locked out',
      },
    }),
    PasswordRegisterEnabled: toggle({
      default: true,
      publicAs: 'password_register_enabled',
      label: { zh: '允许通过密码进行注册', en: 'Sign up with a password' },
      help: { zh: '关闭后只能通过第三方账户注册', en: 'Off: only through third-party accounts' },
    }),
    EmailVerificationEnabled: toggle({
      default: false,
      publicAs: 'email_verification',
      requires: { filled: ['SMTPServer'], error: 'email_verification_without_smtp' },
      label: { zh: '通过密码注册时需要进行邮箱验证', en: 'Verify e-mail at sign-up' },
      help: { zh: '需要先配置 SMTP', en: 'Needs a mail server' },
    }),
    RegisterEnabled: toggle({
      default: true,
      publicAs: 'register_enabled',
      label: { zh: '允许新用户注册', en: 'Allow sign-up' },
      help: { zh: '关闭后新用户将无法以任何方式注册', en: 'Off: nobody can sign up' },
    }),
  },
);

export const emailDomains = group(
  'sign-in',
  { zh: '配置邮箱域名白名单', en: 'E-mail domains' },
  {
    EmailDomainRestrictionEnabled: toggle({
      default: false,
      requires: { filled: ['EmailDomainWhitelist'], error: 'email_whitelist_empty' },
      label: { zh: '启用邮箱域名白名单', en: 'Restrict e-mail domains' },
      help: { zh: '用以防止恶意用户利用临时邮箱批量注册', en: 'Keeps disposable addresses out' },
    }),
    EmailAliasRestrictionEnabled: toggle({
      default: false,
      label: { zh: '启用邮箱别名限制', en: 'Refuse e-mail aliases' },
      help: { zh: '拒绝含有 + 或 . 的邮箱名', en: 'Refuses + and . before the @' },
    }),
    EmailDomainWhitelist: list({
      check: checkDomains,
      default: [
        'gmail.com',
        '163.com',
        '126.com',
        'qq.com',
        'outlook.com',
        'hotmail.com',
        'icloud.com',
        'yahoo.com',
        'foxmail.com',
      ],
      label: { zh: '允许的邮箱域名', en: 'Allowed domains' },
      help: { zh: '以逗号分隔', en: 'Separated by commas' },
    }),
  },
);
