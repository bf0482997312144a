/** Who somebody is elsewhere: one way to sign in. Provider and subject together belong to one user at most. */
export interface IdentityTable {
  /** `github`, `oidc`, `linuxdo`, `wechat`, `telegram`, `discord`, or the slug of a provider that root added. */
  provider: string;
  /** What the provider never gives to anybody else: a number or `sub`, not a name or an address. */
  subject: string;
  user_id: number;
  /** Unix seconds; 0 when it is not known. */
  created_time: number;
}
