/** A code or a link that went out by mail and was not used yet. */
export interface MailCodeTable {
  /** `verify` or `reset`. */
  purpose: string;
  /** In lower case. */
  email: string;
  /** HMAC-SHA256 of the code under a key of this site, hex. */
  code_hash: string;
  /** Unix seconds. */
  expires_time: number;
  /** How often a code was tried for this address since it was sent. */
  tries: number;
}
