/** What changed, for other processes on the same database: each polls and reloads what moved on. */
export interface ChangeMarkTable {
  /** options, channels, token:17, user:3 … */
  name: string;
  version: number;
}
