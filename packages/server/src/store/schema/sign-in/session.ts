/** A log-in. The cookie carries 256 random bits, the row only their SHA-256; role and status are read from the user each time. */
export interface SessionTable {
  /** SHA-256 of the cookie's value, hex. */
  id_hash: string;
  user_id: number;
  /** Unix seconds. */
  created_time: number;
  seen_time: number;
  expires_time: number;
  /** When its owner last proved by a second factor, or by the password again, who they are; 0 for never. */
  proven_time: number;
  ip: string;
  user_agent: string;
}
