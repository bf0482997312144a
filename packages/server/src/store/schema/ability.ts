/** One row per group × model of a channel, rebuilt whenever the channel is saved. */
export interface AbilityTable {
  group: string;
  model: string;
  channel_id: number;
  /** 1 or 0. */
  enabled: number;
  priority: number;
  weight: number;
  tag: string | null;
}
