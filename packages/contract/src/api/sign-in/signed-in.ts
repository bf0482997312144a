import { z } from 'zod';
import { meanings } from '../../meanings.ts';

/** The console's data about the signed-in user. It grants no rights; the server checks rights in the store. */
export const signedIn = z.object({
  id: z.number().int().meta(meanings.userId),
  username: z.string().meta(meanings.username),
  display_name: z.string().meta(meanings.displayName),
  role: z.number().int().meta(meanings.role),
  status: z.number().int().meta(meanings.status),
  group: z.string().meta(meanings.group),
});
export type SignedIn = z.output<typeof signedIn>;

/** The first step of a sign-in succeeded, but the account has a second factor. There is no session yet. */
export const secondStep = z.object({
  require_2fa: z.literal(true).meta({
    zh: '密码正确，但还没有会话：需要第二步',
    en: 'The password was right and there is no session yet: a second step follows',
  }),
  /** Tollgate extension. */
  authenticator: z.boolean().meta({ zh: '可以使用验证码', en: 'A code can be given' }),
  passkey: z.boolean().meta({ zh: '可以使用通行密钥', en: 'A passkey can be used' }),
});
export type SecondStep = z.output<typeof secondStep>;

/** Result of a correct password or of any other successful first step. */
export const signInOutcome = z.union([signedIn, secondStep]);
export type SignInOutcome = z.output<typeof signInOutcome>;
