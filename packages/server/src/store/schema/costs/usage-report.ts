import type { Generated } from 'kysely';

/** What a vendor counted, by day and model, as it was read once. */
export interface UsageReportTable {
  id: Generated<number>;
  /** openai, anthropic, openrouter or csv. */
  source: string;
  /** The name of a file; '' for what was fetched. */
  name: string;
  /** JSON text: ids of the channels that are the vendor's account. */
  channels: string;
  /** The first day and the end of the last, Unix seconds, UTC. */
  start_time: number;
  end_time: number;
  created_at: number;
  /** How many lines `content` has. */
  line_count: number;
  /** JSON text: the lines. */
  content: string;
}
