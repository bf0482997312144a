import { z } from 'zod';
import { route } from '../route.ts';

const email = z
  .string()
  .trim()
  .max(50)
  .regex(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'email_malformed');
const turnstile = z.string().max(4_096).default('');
const binding = z.object({ email, code: z.string().trim().max(64) });

/** Codes and links by mail: docs/compatibility.md#mail. */
export const emailApi = {
  /**
   * Sends a code to an address that somebody wants to sign up with or to bind. The answer is the same for a taken
   * address, whose owner is told instead.
   */
  sendCode: route('GET', '/api/verification', {
    access: 'public',
    critical: true,
    humanCheck: true,
    input: z.object({ email, turnstile }),
    data: z.null(),
  }),
  /** Sends a link to choose a new password. The answer is the same for an address that nobody has. */
  askReset: route('GET', '/api/reset_password', {
    access: 'public',
    critical: true,
    humanCheck: true,
    input: z.object({ email, turnstile }),
    data: z.null(),
  }),
  /** Answers the new password, once for each link. */
  reset: route('POST', '/api/user/reset', {
    audit: 'self.password_reset',
    access: 'public',
    critical: true,
    input: z.object({ email, token: z.string().trim().max(64) }),
    data: z.string(),
  }),
  /** The address a code went to becomes the caller's. By GET as the original has it, which only this site's pages may. */
  bindByGet: route('GET', '/api/oauth/email/bind', {
    audit: 'self.email',
    access: 'user',
    critical: true,
    reauthenticate: true,
    input: binding,
    data: z.null(),
  }),
  bind: route('POST', '/api/oauth/email/bind', {
    audit: 'self.email',
    access: 'user',
    critical: true,
    reauthenticate: true,
    input: binding,
    data: z.null(),
  }),
};
