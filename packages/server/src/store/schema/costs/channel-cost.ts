/** What the calls of a channel cost the operator, and how its vendor is asked for a bill. */
export interface ChannelCostTable {
  channel_id: number;
  /** JSON text: factor, models, reported. */
  rule: string;
  /** Encrypted: the key that reads the bills of the vendor's account; '' for none. */
  report_key_sealed: string;
  /** JSON text: how the last file of the vendor's usage was read; null before the first. */
  report_mapping: string | null;
}
