/** Which channel has a response that a vendor stores: a call that continues it goes there. */
export interface StoredResponseTable {
  /** SHA-256 of the user's id and the response's id, hex: to anybody else the response is unknown. */
  name: string;
  channel_id: number;
  /** Of a channel with several keys; '' otherwise. */
  key_id: string;
  /** Unix seconds. */
  at: number;
}
