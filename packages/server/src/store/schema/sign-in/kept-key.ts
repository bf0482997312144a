/** Keys that outlive the master key they came with, sealed. */
export interface KeptKeyTable {
  name: string;
  key_sealed: string;
}
