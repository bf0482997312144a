import { z } from 'zod';

/** What the console keeps of the person who signed in. Nothing in it grants anything: the server asks the store. */
export const signedIn = z.object({
  id: z.number().int(),
  username: z.string(),
  display_name: z.string(),
  role: z.number().int(),
  status: z.number().int(),
  group: z.string(),
});
export type SignedIn = z.output<typeof signedIn>;

/** The first step of a sign-in was right, and the account has a second factor: there is no session yet. */
export const secondStep = z.object({
  require_2fa: z.literal(true),
  /** What the account has (Tollgate extension). */
  authenticator: z.boolean(),
  passkey: z.boolean(),
});
export type SecondStep = z.output<typeof secondStep>;

/** What comes of a right password, and of every other first step. */
export const signInOutcome = z.union([signedIn, secondStep]);
export type SignInOutcome = z.output<typeof signInOutcome>;
