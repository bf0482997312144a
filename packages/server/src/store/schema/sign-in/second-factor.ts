import type { Generated } from 'kysely';

/** The authenticator app of a user: at most one. */
export interface AuthenticatorTable {
  user_id: number;
  /** Its secret, sealed for this user. */
  secret_sealed: string;
  /** Unix seconds; 0 until a code of it came back, and until then it counts for nothing. */
  confirmed_time: number;
  /** The last step of 30 seconds whose code was used: no code counts twice, and none before it. */
  used_step: number;
}

/** A code that stands for a lost device, once. */
export interface RecoveryCodeTable {
  user_id: number;
  /** HMAC-SHA256 of the code under a key of this site, hex. */
  code_hash: string;
  /** 1 when it counts; 0 while the app that it was made with is not confirmed. */
  active: number;
}

/** Wrong codes of a user. */
export interface FactorTryTable {
  user_id: number;
  /** Since the last right one. */
  failed: number;
  /** Unix seconds until which no code is weighed. */
  locked_until: number;
}

/** A key of the user's devices. */
export interface PasskeyTable {
  id: Generated<number>;
  user_id: number;
  /** SHA-256 of the credential's id, hex: the id itself is too long to be indexed. */
  id_hash: string;
  /** base64url. */
  credential_id: string;
  /** COSE, base64url. */
  public_key: string;
  /** As the device counted last; 0 for those that do not count. */
  counter: number;
  /** Comma list. */
  transports: string;
  name: string;
  /** 1 when its maker keeps copies of it. */
  backed_up: number;
  /** Unix seconds. */
  created_time: number;
  /** 0 while unused. */
  used_time: number;
}

/** A question that a passkey is to answer; used once. */
export interface PasskeyChallengeTable {
  /** SHA-256 of the challenge, hex. */
  challenge_hash: string;
  /** `sign-in`, `second-step`, `register` or `proof`. */
  purpose: string;
  /** SHA-256 of what names the browser: its mark, its session or its ticket. */
  bound_hash: string;
  /** 0 when anybody may answer. */
  user_id: number;
  /** Unix seconds. */
  expires_time: number;
}

/** The first step of a sign-in was right, the second is to come; used once. */
export interface SignInTicketTable {
  /** SHA-256 of the cookie's value, hex. */
  ticket_hash: string;
  user_id: number;
  /** How the first step was taken: `password`, or the other site. */
  method: string;
  /** Unix seconds. */
  expires_time: number;
}
