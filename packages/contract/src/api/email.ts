import { z } from 'zod';
import { route } from '../route.ts';
import { meanings } from '../meanings.ts';

/**
 * One mailbox in one spelling, apart from upper case: no list, no name or comment, no invisible or full-width
 * characters, no dot at the start or end of the domain. With several spellings for one mailbox, limits per address
 * would not apply.
 */
const mailbox =
  /^[^\s\p{C}@"(),:;<>[\\\]]+@[^\s\p{C}@"(),:;<>[\\\].\u3002]+(?:\.[^\s\p{C}@"(),:;<>[\\\].\u3002]+)*$/u;

/** True if the text is the address of one mailbox. */
export const isMailAddress = (text: string): boolean => mailbox.test(text) && text.normalize('NFKC') === text;

const email = z
  .string()
  .trim()
  // Longer texts are refused before matching, because matching them could block the process for minutes.
  .max(50, { abort: true })
  .refine((text) => isMailAddress(text) && text.slice(text.indexOf('@')).includes('.'), 'email_malformed')
  .meta(meanings.email);
const turnstile = z.string().max(4_096).default('').meta(meanings.turnstile);
const binding = z.object({
  email,
  code: z.string().trim().max(64).meta({ zh: '发到邮箱的验证码', en: 'The code that came by mail' }),
});

/** Codes and links in mails: docs/compatibility.md#mail. */
export const emailApi = {
  /**
   * Sends a code to an address for a sign-up or a binding. The response is the same for an address in use, and its
   * owner gets a notice.
   */
  sendCode: route('GET', '/api/verification', {
    summary: { zh: '向邮箱发送验证码', en: 'Send a code to an e-mail address' },
    access: 'public',
    errors: [
      'email_malformed',
      'smtp_not_configured',
      'email_domain_refused',
      'email_alias_refused',
      'mail_too_soon',
    ],
    example: { email: 'carol@example.com' },
    critical: true,
    humanCheck: true,
    input: z.object({ email, turnstile }),
    data: z.null(),
  }),
  /** Sends a link for a new password. The response is the same for an unknown address. */
  askReset: route('GET', '/api/reset_password', {
    summary: { zh: '向邮箱发送重置密码的链接', en: 'Send a link that resets the password' },
    access: 'public',
    demo: false,
    errors: ['email_malformed', 'smtp_not_configured', 'server_address_missing', 'mail_too_soon'],
    example: { email: 'alice@example.com' },
    critical: true,
    humanCheck: true,
    input: z.object({ email, turnstile }),
    data: z.null(),
  }),
  /** Returns the new password, once per link. */
  reset: route('POST', '/api/user/reset', {
    summary: { zh: '用邮件链接中的口令重置密码', en: 'Reset the password with the token of the link' },
    audit: 'self.password_reset',
    access: 'public',
    errors: ['email_malformed', 'reset_link_invalid', 'insecure_transport', 'server_busy'],
    example: { email: 'alice@example.com', token: 'token-from-the-link' },
    critical: true,
    input: z.object({
      email,
      token: z
        .string()
        .trim()
        .max(64)
        .meta({ zh: '重置链接中的口令，只能用一次', en: 'The token in the link; good once' }),
    }),
    data: z.string(),
  }),
  /** Binds the address of a code to the caller. Uses GET like the original; only pages of this site may call it. */
  bindByGet: route('GET', '/api/oauth/email/bind', {
    summary: {
      zh: '绑定邮箱（GET，供旧客户端使用）',
      en: 'Bind an e-mail address; by GET, for older clients',
    },
    audit: 'self.email',
    access: 'user',
    demo: false,
    errors: [
      'email_malformed',
      'email_code_wrong',
      'email_taken',
      'email_domain_refused',
      'email_alias_refused',
    ],
    example: { email: 'alice@example.org', code: '123456' },
    critical: true,
    reauthenticate: 'always',
    input: binding,
    data: z.null(),
  }),
  bind: route('POST', '/api/oauth/email/bind', {
    summary: { zh: '绑定邮箱', en: 'Bind an e-mail address' },
    audit: 'self.email',
    access: 'user',
    errors: [
      'email_malformed',
      'email_code_wrong',
      'email_taken',
      'email_domain_refused',
      'email_alias_refused',
    ],
    example: { email: 'alice@example.net', code: '123456' },
    critical: true,
    reauthenticate: 'always',
    input: binding,
    data: z.null(),
  }),
};
