import { z } from 'zod';
import { route } from '../route.ts';
import { signInOutcome } from './sign-in/signed-in.ts';
import { meanings } from '../meanings.ts';

/** Id of a third-party sign-in provider. */
const provider = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}$/)
  .meta({
    zh: 'github、oidc、linuxdo、discord、telegram 或自定义标识',
    en: '`github`, `oidc`, `linuxdo`, `discord`, `telegram` or a short name of root’s',
  });
const affCode = z.string().trim().max(32).default('');
const code = z.string().trim().min(1).max(2_048).meta(meanings.providerCode);
const state = z
  .string()
  .max(128)
  .default('')
  .meta({ zh: '登录开始时给出的 state，只能用一次', en: 'The state that the start gave; good once' });

/**
 * Result of a third-party sign-in: the user, a required second step, or a binding of a signed-in user (message
 * `bind`, data null).
 */
const outcome = signInOutcome.nullable();

/** Fields of Telegram's login button. The signature covers all of them. */
const telegramUser = z.object({
  id: z
    .string()
    .regex(/^\d{1,20}$/)
    .meta({ zh: 'Telegram 用户 ID', en: 'User id at Telegram' }),
  first_name: z.string().max(256).optional().meta({ zh: '名字', en: 'First name' }),
  last_name: z.string().max(256).optional().meta({ zh: '姓氏', en: 'Last name' }),
  username: z.string().max(256).optional().meta(meanings.username),
  photo_url: z.string().max(1_024).optional().meta({ zh: '头像地址', en: 'Address of the picture' }),
  auth_date: z
    .string()
    .regex(/^\d{1,12}$/)
    .meta({ zh: '登录时间，Unix 秒', en: 'Sign-in time, Unix seconds' }),
  hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .meta({ zh: 'Telegram 的签名', en: 'Telegram’s signature' }),
  lang: z.string().max(16).optional().meta({ zh: '语言', en: 'Language' }),
});

/** Third-party sign-in and bindings: docs/compatibility.md#third-party-sign-in. */
export const oauthApi = {
  /**
   * Returns a state for an authorization page that the caller opens itself, for older consoles. For a caller who
   * signed in recently, the state binds the provider to the caller's account.
   */
  state: route('GET', '/api/oauth/state', {
    summary: { zh: '获取第三方登录所用的 state', en: 'Get a state for a provider’s page' },
    access: 'try-user',
    demo: false,
    errors: ['sign_in_again'],
    critical: true,
    input: z.object({ aff: affCode.meta(meanings.inviterCode) }),
    data: z.string(),
  }),
  /** Returns the complete address of a provider's page (Tollgate extension). */
  start: route('GET', '/api/oauth/start/:provider', {
    summary: { zh: '获取第三方登录页面的地址', en: 'Get the address of a provider’s page, to log in' },
    access: 'public',
    errors: ['row_not_found', 'oauth_disabled', 'oauth_unreachable'],
    example: { provider: 'github' },
    critical: true,
    input: z.object({ provider, aff: affCode.meta(meanings.inviterCode) }),
    data: z.string(),
  }),
  /** Like `start`, but binds the provider to the caller's account (Tollgate extension). */
  startBind: route('POST', '/api/oauth/bind/:provider', {
    summary: { zh: '获取第三方绑定页面的地址', en: 'Get the address of a provider’s page, to bind it' },
    access: 'user',
    errors: ['row_not_found', 'oauth_disabled', 'oauth_unreachable'],
    example: { provider: 'github' },
    critical: true,
    reauthenticate: 'always',
    input: z.object({ provider }),
    data: z.string(),
  }),
  /** Removes a binding. Refused for the last sign-in method of the account. A Tollgate extension. */
  unbind: route('DELETE', '/api/oauth/bind/:provider', {
    summary: { zh: '解除第三方绑定', en: 'Unbind a provider' },
    audit: 'self.unbind',
    access: 'user',
    errors: ['row_not_found', 'oauth_last_way'],
    example: { provider: 'github' },
    critical: true,
    reauthenticate: 'always',
    input: z.object({ provider }),
    data: z.null(),
  }),
  wechat: route('GET', '/api/oauth/wechat', {
    summary: { zh: '用微信验证码登录', en: 'Log in with a code from WeChat' },
    access: 'public',
    errors: [
      'cross_site',
      'email_code_wrong',
      'registration_disabled',
      'username_taken',
      'wechat_bound',
      'sign_in_no_rule',
      'user_deleted',
      'user_banned',
      'insecure_transport',
      'wechat_disabled',
      'oauth_unreachable',
    ],
    example: { code: '123456' },
    critical: true,
    input: z.object({ code, aff: affCode.meta(meanings.inviterCode) }),
    data: outcome,
  }),
  wechatBind: route('GET', '/api/oauth/wechat/bind', {
    summary: { zh: '绑定微信', en: 'Bind WeChat' },
    audit: 'self.bind',
    access: 'user',
    demo: false,
    errors: ['email_code_wrong', 'wechat_bound', 'wechat_disabled', 'oauth_unreachable'],
    example: { code: '123456' },
    critical: true,
    reauthenticate: 'always',
    input: z.object({ code }),
    data: z.null(),
  }),
  telegram: route('GET', '/api/oauth/telegram/login', {
    summary: { zh: '用 Telegram 登录', en: 'Log in with Telegram' },
    access: 'public',
    errors: [
      'cross_site',
      'oauth_state_wrong',
      'oauth_not_bound',
      'oauth_disabled',
      'user_deleted',
      'user_banned',
      'insecure_transport',
    ],
    example: { id: '7001', auth_date: '1795219200', hash: '0'.repeat(64) },
    critical: true,
    input: telegramUser,
    data: outcome,
  }),
  telegramBind: route('GET', '/api/oauth/telegram/bind', {
    summary: { zh: '绑定 Telegram', en: 'Bind Telegram' },
    audit: 'self.bind',
    access: 'user',
    demo: false,
    errors: ['oauth_state_wrong', 'oauth_bound', 'oauth_disabled'],
    example: { id: '7001', auth_date: '1795219200', hash: '0'.repeat(64) },
    critical: true,
    reauthenticate: 'always',
    input: telegramUser,
    data: z.null(),
  }),
  /** Redirect target of a provider's page, with the provider's parameters. */
  callback: route('GET', '/api/oauth/:provider', {
    summary: {
      zh: '第三方登录的返回地址：登录或绑定',
      en: 'Where a provider’s page leads back to: logs in, or binds',
    },
    access: 'try-user',
    errors: [
      'row_not_found',
      'oauth_state_wrong',
      'oauth_refused',
      'oauth_nobody',
      'oauth_not_bound',
      'sign_in_no_rule',
      'oauth_bound',
      'registration_disabled',
      'username_taken',
      'user_deleted',
      'user_banned',
      'insecure_transport',
      'oauth_disabled',
      'oauth_unreachable',
    ],
    example: { provider: 'github', code: 'code-of-the-provider', state: 'state-of-the-start' },
    critical: true,
    input: z.object({
      provider,
      code: code.optional().meta(meanings.providerCode),
      state,
      iss: z
        .string()
        .max(1_024)
        .optional()
        .meta({ zh: '该网站自报的签发者', en: 'The issuer, as the other site names itself' }),
      error: z
        .string()
        .max(256)
        .optional()
        .meta({ zh: '该网站拒绝时给出的原因', en: 'Why the other site refused, in its word for it' }),
    }),
    data: outcome,
  }),
};
