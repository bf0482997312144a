import { z } from 'zod';
import { route } from '../route.ts';
import { signedIn } from './auth.ts';

/** A way to sign in through another site, by its id. */
const provider = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/);
const affCode = z.string().trim().max(32).default('');
const code = z.string().trim().min(1).max(2_048);
const state = z.string().max(128).default('');

/**
 * What came of a way through another site: somebody signed in, or a signed-in user bound it (the message is then `bind`,
 * the data null).
 */
const outcome = signedIn.nullable();

/** The fields of Telegram's log-in button; all of them are signed. */
const telegramUser = z.object({
  id: z.string().regex(/^\d{1,20}$/),
  first_name: z.string().max(256).optional(),
  last_name: z.string().max(256).optional(),
  username: z.string().max(256).optional(),
  photo_url: z.string().max(1_024).optional(),
  auth_date: z.string().regex(/^\d{1,12}$/),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  lang: z.string().max(16).optional(),
});

/** Signing in through other sites, and binding them: docs/compatibility.md#third-party-sign-in. */
export const oauthApi = {
  /**
   * A state for an authorization page that the caller opens itself, as older consoles do. For somebody who is signed in it
   * binds, if they signed in a moment ago.
   */
  state: route('GET', '/api/oauth/state', {
    access: 'try-user',
    critical: true,
    input: z.object({ aff: affCode }),
    data: z.string(),
  }),
  /** The address of a provider's page, with everything it needs; ours. */
  start: route('GET', '/api/oauth/start/:provider', {
    access: 'public',
    critical: true,
    input: z.object({ provider, aff: affCode }),
    data: z.string(),
  }),
  /** The same to bind the provider to the caller's account; ours. */
  startBind: route('POST', '/api/oauth/bind/:provider', {
    access: 'user',
    critical: true,
    reauthenticate: true,
    input: z.object({ provider }),
    data: z.string(),
  }),
  /** Takes a binding away; refused for the last way in. Ours. */
  unbind: route('DELETE', '/api/oauth/bind/:provider', {
    audit: 'self.unbind',
    access: 'user',
    critical: true,
    reauthenticate: true,
    input: z.object({ provider }),
    data: z.null(),
  }),
  wechat: route('GET', '/api/oauth/wechat', {
    access: 'public',
    critical: true,
    input: z.object({ code, aff: affCode }),
    data: outcome,
  }),
  wechatBind: route('GET', '/api/oauth/wechat/bind', {
    audit: 'self.bind',
    access: 'user',
    critical: true,
    reauthenticate: true,
    input: z.object({ code }),
    data: z.null(),
  }),
  telegram: route('GET', '/api/oauth/telegram/login', {
    access: 'public',
    critical: true,
    input: telegramUser,
    data: outcome,
  }),
  telegramBind: route('GET', '/api/oauth/telegram/bind', {
    audit: 'self.bind',
    access: 'user',
    critical: true,
    reauthenticate: true,
    input: telegramUser,
    data: z.null(),
  }),
  /** Where a provider's page leads back to, with what it answered. */
  callback: route('GET', '/api/oauth/:provider', {
    access: 'try-user',
    critical: true,
    input: z.object({
      provider,
      code: code.optional(),
      state,
      iss: z.string().max(1_024).optional(),
      error: z.string().max(256).optional(),
    }),
    data: outcome,
  }),
};
