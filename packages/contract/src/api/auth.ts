import { z } from 'zod';
import { route } from '../route.ts';
import { signInOutcome } from './sign-in/signed-in.ts';
import { passwordInput, usernameInput } from './user.ts';
import { meanings } from '../meanings.ts';

/** A session of the user (Tollgate extension; ASVS 7.5.2). */
export const sessionData = z.object({
  id: z
    .string()
    .meta({ zh: '会话的名称，与其 Cookie 无关', en: 'Names the session; tells nothing of its cookie' }),
  created_time: z.number().int().meta(meanings.seconds),
  seen_time: z.number().int().meta(meanings.seconds),
  ip: z.string().meta({ zh: 'IP 地址', en: 'Address of the client', example: '127.0.0.1' }),
  user_agent: z.string().meta({ ...meanings.userAgent, example: 'node' }),
  current: z.boolean().meta({ zh: '发出此请求的会话', en: 'True for the session that asks' }),
});
export type SessionData = z.output<typeof sessionData>;

const turnstile = z.string().max(4_096).default('').meta(meanings.turnstile);

/** Sign-up, sign-in and sign-out: docs/compatibility.md#envelope-and-routes. */
export const authApi = {
  register: route('POST', '/api/user/register', {
    summary: { zh: '注册新用户', en: 'Sign up' },
    audit: 'self.register',
    access: 'public',
    demo: true,
    errors: [
      'registration_disabled',
      'password_registration_disabled',
      'password_too_short',
      'passwords_differ',
      'email_code_missing',
      'email_code_wrong',
      'email_taken',
      'username_taken',
      'username_unclear',
      'insecure_transport',
      'password_common',
      'server_busy',
    ],
    example: { username: 'carol', password: 'correct horse battery' },
    critical: true,
    humanCheck: true,
    input: z.object({
      username: usernameInput.meta(meanings.loginName),
      password: passwordInput.meta(meanings.password),
      password2: z.string().max(128).optional().meta({
        zh: '再次输入的密码，可省略；给出时必须相同',
        en: 'The password once more; where it is given it must be the same',
      }),
      email: z.string().trim().max(50).default('').meta(meanings.email),
      verification_code: z.string().max(64).default('').meta({
        zh: '发到邮箱的验证码；要求验证邮箱时必填',
        en: 'The code that came by mail; needed where addresses are verified',
      }),
      aff_code: z.string().trim().max(32).default('').meta(meanings.inviterCode),
      turnstile,
    }),
    data: z.null(),
  }),
  /** `username` may be an e-mail address. */
  login: route('POST', '/api/user/login', {
    summary: { zh: '用户登录，成功后设置会话 Cookie', en: 'Log in; the answer sets the session cookie' },
    access: 'public',
    demo: true,
    errors: [
      'credentials_missing',
      'wrong_credentials',
      'password_login_disabled',
      'too_many_attempts',
      'insecure_transport',
      'server_busy',
    ],
    example: { username: 'alice', password: 'correct horse battery' },
    critical: true,
    humanCheck: true,
    input: z.object({
      // Missing fields have a separate message (`用户名或密码为空`), so the service checks them.
      username: z.string().trim().max(255).default('').meta(meanings.loginName),
      password: z.string().max(128).default('').meta(meanings.password),
      turnstile,
    }),
    data: signInOutcome,
  }),
  /** Ends the caller's session, if one exists. */
  logout: route('GET', '/api/user/logout', {
    summary: { zh: '退出登录', en: 'Log out: the session ends' },
    audit: 'sign_out',
    access: 'try-user',
    errors: ['cross_site'],
    input: z.object({}),
    data: z.null(),
  }),
  sessions: route('GET', '/api/user/sessions', {
    summary: { zh: '列出自己的登录会话', en: 'List where one is logged in' },
    access: 'user',
    input: z.object({}),
    data: z.array(sessionData),
  }),
  endSession: route('DELETE', '/api/user/sessions/:session', {
    summary: { zh: '结束自己的一个登录会话', en: 'End one of one’s own sessions' },
    audit: 'session.end',
    access: 'user',
    errors: ['row_not_found'],
    example: { session: '0123456789abcdef' },
    reauthenticate: 'with-factor',
    input: z.object({
      session: z.string().max(64).meta({ zh: '会话列表中的 id', en: 'Its id in the list of sessions' }),
    }),
    data: z.null(),
  }),
};
