/** A sign-in through another site that somebody began; used once. */
export interface SignInStartTable {
  /** SHA-256 of the state, hex. */
  state_hash: string;
  /** SHA-256 of the cookie of the browser that began it, hex. */
  browser_hash: string;
  provider: string;
  /** 0 to sign in, else the user who binds. */
  user_id: number;
  /** The invitation code that a newcomer brought; '' for none. */
  aff_code: string;
  /** Unix seconds. */
  expires_time: number;
}
