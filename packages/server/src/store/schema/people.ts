import type { Generated } from 'kysely';
import type { AccessTokenScope } from '@tollgate/contract';

/** People. The balance is in `accounts`, so that one payer can serve many users. */
export interface UserTable {
  id: Generated<number>;
  /** The account that pays for this user's calls. */
  account_id: number;
  username: string;
  /** `argon2id$…`; '' when the user has no password. */
  password: string;
  display_name: string;
  role: number;
  status: number;
  email: string;
  /** SHA-256 of the system access token, hex; null if there is none. */
  access_token_hash: string | null;
  /** Amount that the user's own wallet paid for calls, in quota units; the part of teams is on their membership. */
  used_quota: number;
  /** Requests here; the ledger counts them. */
  request_count: number;
  /** Requests in the program that the user was imported from. */
  former_requests: number;
  group: string;
  aff_code: string | null;
  aff_count: number;
  /** Invitation reward not yet transferred, in quota units. */
  aff_quota: number;
  aff_history: number;
  inviter_id: number;
  /** Administrators' remark about the user, who never sees it; null for none. */
  remark: string | null;
  /** JSON text: notify_type, quota_warning_threshold, …. */
  setting: string;
  /** Unix seconds. */
  created_time: number;
  /** Unix seconds of the soft delete; null while alive. On the wire `DeletedAt`. */
  deleted_at: number | null;
}

/** A customer's API key and its limits. The key itself is a hash for look-up and an encrypted copy for its owner. */
export interface TokenTable {
  id: Generated<number>;
  user_id: number;
  /** SHA-256 of the 48 characters after `sk-`, hex; of an imported key in another form, of its whole text. */
  key_hash: string;
  /** Encrypted key; '' in hash-only mode. */
  key_sealed: string;
  /** The characters shown in lists: first 4 and last 4. */
  key_hint: string;
  status: number;
  name: string;
  created_time: number;
  accessed_time: number;
  /** Unix seconds, −1 for never. */
  expired_time: number;
  /** Quota units left; negative only with unlimited_quota (it then only counts). */
  remain_quota: number;
  /** Quota units held for running requests. */
  held: number;
  /** 1 or 0. */
  unlimited_quota: number;
  model_limits_enabled: number;
  /** Comma list. */
  model_limits: string;
  /** One address or CIDR per line; '' for any. */
  allow_ips: string;
  used_quota: number;
  group: string;
  /** 1 if a failed call of the group auto may go on to the next group. */
  cross_group_retry: Generated<number>;
  /** Comma list of the regions whose channels serve the calls; '' for all. */
  regions: Generated<string>;
  /** 1 if only channels whose vendors retain nothing serve the calls. */
  no_retention: Generated<number>;
  deleted_at: number | null;
  /** The team that pays for the calls; 0 if the owner of the key does. */
  team_id: number;
}

/** A system access token. Times are Unix seconds. */
export interface AccessTokenTable {
  id: Generated<number>;
  user_id: number;
  /** SHA-256 of the token, hex. */
  token_hash: string;
  name: string;
  scope: AccessTokenScope;
  created_time: number;
  /** 0 for never. */
  used_time: number;
  /** 0 for never. */
  expires_time: number;
}

/** A log-in. The cookie carries 256 random bits, the row only their SHA-256; role and status are read from the user each time. */
export interface SessionTable {
  /** SHA-256 of the cookie's value, hex. */
  id_hash: string;
  user_id: number;
  /** Unix seconds. */
  created_time: number;
  seen_time: number;
  expires_time: number;
  /** Time of the owner's last proof of identity, by a second factor or the password; 0 for never. */
  proven_time: number;
  ip: string;
  user_agent: string;
}

/** An identity at another site: one way to sign in. Provider and subject together belong to one user at most. */
export interface IdentityTable {
  /** `github`, `oidc`, `linuxdo`, `wechat`, `telegram`, `discord`, or the slug of a provider that root added. */
  provider: string;
  /** An id that the provider never reuses: a number or `sub`, not a name or an address. */
  subject: string;
  user_id: number;
  /** Unix seconds; 0 if unknown. */
  created_time: number;
  /** 1 while the user is disabled because no rule of SignInRules matches them. */
  ended: Generated<number>;
}

/** An unused code or link that was sent by mail. */
export interface MailCodeTable {
  /** `verify` or `reset`. */
  purpose: string;
  /** In lower case. */
  email: string;
  /** HMAC-SHA256 of the code under a key of this site, hex. */
  code_hash: string;
  /** Unix seconds. */
  expires_time: number;
  /** Number of attempts with a code for this address since it was sent. */
  tries: number;
}

/** The authenticator app of a user: at most one. */
export interface AuthenticatorTable {
  user_id: number;
  /** Its secret, sealed for this user. */
  secret_sealed: string;
  /** Unix seconds; 0 until its first code is entered. It has no effect until then. */
  confirmed_time: number;
  /** The last 30-second step with a used code: no code is valid twice, and none before it. */
  used_step: number;
}

/** A single-use code that replaces a lost device. */
export interface RecoveryCodeTable {
  user_id: number;
  /** HMAC-SHA256 of the code under a key of this site, hex. */
  code_hash: string;
  /** 1 if active; 0 while the app of the same set-up is not confirmed. */
  active: number;
}

/** Wrong codes of a user. */
export interface FactorTryTable {
  user_id: number;
  /** Since the last correct code. */
  failed: number;
  /** Unix seconds until which no code is checked. */
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
  /** Last counter of the device; 0 for devices without a counter. */
  counter: number;
  /** Comma list. */
  transports: string;
  name: string;
  /** 1 if its vendor keeps backups of it. */
  backed_up: number;
  /** Unix seconds. */
  created_time: number;
  /** 0 while unused. */
  used_time: number;
}

/** A challenge for a passkey; used once. */
export interface PasskeyChallengeTable {
  /** SHA-256 of the challenge, hex. */
  challenge_hash: string;
  /** `sign-in`, `second-step`, `register` or `proof`. */
  purpose: string;
  /** SHA-256 of the browser's mark, session or ticket. */
  bound_hash: string;
  /** 0 if any user may answer. */
  user_id: number;
  /** Unix seconds. */
  expires_time: number;
}

/** A sign-in with a completed first step and a pending second step; used once. */
export interface SignInTicketTable {
  /** SHA-256 of the cookie's value, hex. */
  ticket_hash: string;
  user_id: number;
  /** Method of the first step: `password`, or the other site. */
  method: string;
  /** Unix seconds. */
  expires_time: number;
}

/** An OpenID or SAML provider that root added: one way to sign in. */
export interface SignInProviderTable {
  /** Its name in addresses and in the table of identities; never changes. */
  slug: string;
  /** Shown to users. */
  name: string;
  /** An https address or a data image; '' for none. */
  logo: string;
  /** `oidc` or `saml`; never changes. */
  kind: Generated<'oidc' | 'saml'>;
  /** Its issuer, or the address of its document or metadata. */
  well_known: string;
  /** Issuer of its id tokens or assertions. Subjects are unique only within an issuer. */
  issuer: string;
  client_id: string;
  client_secret_sealed: string;
  /** Separated by blanks. */
  scopes: string;
  /** JSON of the names of a SAML provider's attributes: email, name, groups. */
  attributes: Generated<string>;
  /** 1 or 0. */
  enabled: number;
  /** Order of the buttons. */
  position: number;
  /** Unix seconds. */
  created_time: number;
}

/** A user whom the company's directory sends by SCIM; the account is that of `user_id`. */
export interface ScimUserTable {
  /** Id of the resource, and the subject of the identity `scim`. */
  resource_id: string;
  user_id: number;
  /** `userName` in lower case. */
  name_key: string;
  /** `displayName` in lower case. */
  display_key: string;
  /** '' for none. */
  external_id: string;
  /** Addresses in lower case, with a line feed before and after each. */
  emails: string;
  /** JSON: userName, displayName, name, emails. */
  profile: string;
  /** 1 or 0, as the directory says. */
  active: number;
  /** Unix seconds at which the directory deleted the resource; null while it is there. The account stays. */
  deleted_time: number | null;
  /** Unix seconds. */
  created_time: number;
  changed_time: number;
}

/** A group of the company's directory. Rules of SignInRules name it by `name`. */
export interface ScimGroupTable {
  id: Generated<number>;
  name: string;
  /** The name in lower case. */
  name_key: string;
  /** '' for none. */
  external_id: string;
  /** Unix seconds. */
  created_time: number;
  changed_time: number;
}

/** A member of a group of the company's directory. */
export interface ScimMemberTable {
  group_id: number;
  user_id: number;
}

/** A started sign-in through another site; used once. */
export interface SignInStartTable {
  /** SHA-256 of the state, hex. */
  state_hash: string;
  /** SHA-256 of the cookie of the browser that began it, hex. */
  browser_hash: string;
  provider: string;
  /** 0 for a sign-in, otherwise the user who adds the identity. */
  user_id: number;
  /** The invitation code of a new user; '' for none. */
  aff_code: string;
  /** Unix seconds. */
  expires_time: number;
  /** JSON of the identity that a SAML provider has posted; null for none. */
  answer: string | null;
}

/** People who share a wallet: a separate account that pays for the calls of the team's keys. */
export interface TeamTable {
  id: Generated<number>;
  name: string;
  /** The shared wallet. */
  account_id: number;
  /** The member with the role owner; there is always exactly one. */
  owner_id: number;
  /** Decides over channels and ratio for the team's keys; administrators set it. */
  group: string;
  /** As of a token; keys cannot loosen it. */
  regions: Generated<string>;
  no_retention: Generated<number>;
  /** 1 enabled, 2 banned by an administrator. */
  status: number;
  /** Unix seconds. */
  created_time: number;
  /** Unix seconds of the soft delete; null while alive. */
  deleted_at: number | null;
}

/**
 * A member of a team, and the use of their limit on its wallet. The row stays when the member leaves, so that the use
 * counts again when they return.
 */
export interface TeamMemberTable {
  id: Generated<number>;
  team_id: number;
  user_id: number;
  /** 1 member, 2 manager, 3 owner. */
  role: number;
  /** '' without a limit, `total` for one in all, `month` for one in each calendar month (UTC). */
  limit_period: string;
  /** Quota units; 0 without a limit. */
  limit_quota: number;
  /** Unix seconds from which on use counts against the limit: the start of the month, or 0 for ever. */
  period_start: number;
  /** Quota units left of the limit; negative only without one (it then only counts). Only the ledger writes here. */
  remain_quota: number;
  /** Quota units held for running requests. Only the ledger writes here. */
  held: number;
  /** 1 without a limit. */
  unlimited_quota: number;
  /** Quota units that the member's calls took from the wallet, ever. Only the ledger writes here. */
  used_quota: number;
  /** Unix seconds. */
  joined_time: number;
  /** Unix seconds; null while a member. */
  left_time: number | null;
}

/** An open invitation into a team; it is deleted when it is accepted, declined or withdrawn. */
export interface TeamInvitationTable {
  id: Generated<number>;
  team_id: number;
  /** SHA-256 of the code in the link, hex. */
  code_hash: string;
  /** User name or e-mail address as entered; '' for anyone with the link. */
  invitee: string;
  /** The only user who may accept; 0 if the code decides, or the name does not exist. */
  invitee_id: number;
  /** The role of the new member. */
  role: number;
  inviter_id: number;
  /** Unix seconds. */
  created_time: number;
  /** Unix seconds. */
  expires_time: number;
  /** JSON of the budgets of the person who accepts; null for none. */
  limits: string | null;
}
