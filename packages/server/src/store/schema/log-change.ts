import type { Generated } from 'kysely';

/**
 * Changes of log rows that have moved to an archive. In the main database those that wait, written with the money that moved;
 * in the archive those that are made and may still be asked for again.
 */
export interface LogChangeTable {
  id: Generated<number>;
  /** The consumption row of this request. */
  request_id: string;
  /** Quota units that went back; below zero where more was taken. */
  refunded: number;
  /** JSON: columns and their new values. */
  corrected: string;
}
