import type { Generated } from 'kysely';

/** An order of quota at a payment provider. */
export interface TopUpTable {
  id: Generated<number>;
  user_id: number;
  /** Bought, in US dollars. */
  amount: number;
  /** Credited when paid, in quota units: fixed with the price, so that a changed option never changes an order. */
  quota: number;
  /** To be paid, as decimal text with two places. */
  money: string;
  trade_no: string;
  /** The payment provider that alone may complete it: epay. */
  provider: string;
  payment_method: string;
  create_time: number;
  complete_time: number;
  /** pending, success, expired, failed */
  status: string;
  /** The team whose wallet it fills; 0 for the buyer's own. */
  team_id: number;
}
