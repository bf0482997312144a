import { settingError } from '../setting-error.ts';
import { group, list, toggle, secret, text } from '../define.ts';

const domainPattern = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/i;

/** Check of a field on the settings page. The server repeats it. */
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
      help: { zh: '拒绝含有 + 或 . 的邮箱名', en: 'No “+” and no dot before the @' },
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

export const secondFactor = group(
  'sign-in',
  { zh: '配置两步验证', en: 'Two-step sign-in' },
  {
    AdminSecondFactorRequired: toggle({
      default: false,
      label: { zh: '要求管理员启用两步验证', en: 'Administrators must use two-step sign-in' },
      help: {
        zh: '管理操作须先设置身份验证器或通行密钥',
        en: 'Admin functions need an authenticator app or a passkey',
      },
    }),
  },
);

export const turnstile = group(
  'sign-in',
  { zh: '配置 Turnstile', en: 'Human check (Turnstile)' },
  {
    TurnstileCheckEnabled: toggle({
      default: false,
      publicAs: 'turnstile_check',
      requires: { filled: ['TurnstileSiteKey', 'TurnstileSecretKey'], error: 'turnstile_not_configured' },
      label: { zh: '启用 Turnstile 用户校验', en: 'Check that users are human' },
      help: { zh: '登录、注册和发送验证码时校验', en: 'At sign-in, sign-up and before codes are sent' },
    }),
    TurnstileSiteKey: text({
      default: '',
      publicAs: 'turnstile_site_key',
      label: { zh: 'Turnstile Site Key', en: 'Site key' },
      help: { zh: '公开的站点密钥', en: 'The public key of this site' },
    }),
    TurnstileSecretKey: secret({
      label: { zh: 'Turnstile Secret Key', en: 'Secret key' },
      help: { zh: '敏感信息不会发送到前端显示', en: 'Never shown again' },
    }),
  },
);
