import type { Generated } from 'kysely';

/**
 * Who pays: a balance of quota units. Every user and every team has one. Only the ledger writes here.
 * Available = balance − held. CHECKs in the database are the last line: balance ≥ 0, held ≥ 0.
 */
export interface AccountTable {
  id: Generated<number>;
  /** Quota units; equals the sum of the account's ledger entries. */
  balance: number;
  /** Quota units held for running requests. */
  held: number;
}
