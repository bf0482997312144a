/** A key of channels that one process is renewing at its vendor: no other may begin to. */
export interface KeyRenewalTable {
  /** SHA-256 of the key as it was before, hex. */
  key_hash: string;
  /** Unix ms; a process that has not ended by then has died over it. */
  until: number;
}
