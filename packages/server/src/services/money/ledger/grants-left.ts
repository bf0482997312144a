import { type Db, grants as grantRows, ledger } from '../../../store/index.ts';
import { inOrderOfUse, keptIds, shareOfPrice, takeUse } from './plan/grants.ts';

/** What is left of a grant, after all use so far. */
export interface GrantLeft {
  /** 0 for the part of a balance that has no grant yet. */
  id: number;
  source: string;
  /** Quota units that were given. */
  amount: number;
  /** Quota units. */
  left: number;
  /** What was paid for the part that is left, in hundredths of the currency of payment; 0 for a gift. */
  paid: number;
  isRefundable: boolean;
  /** Unix seconds; 0 for never. An expired one is not booked yet, or kept for running calls. */
  expiresAt: number;
  createdAt: number;
}

/** A wallet, and what is left of its grants in the order of use: the sum is the balance. */
export interface WalletLeft {
  accountId: number;
  balance: number;
  grants: GrantLeft[];
}

/**
 * What is left of the grants of wallets. Use that is not taken from them yet is taken here without writing it. Wallets
 * without a balance are left out.
 */
export async function readGrantsLeft(
  db: Db,
  which: Parameters<typeof grantRows.wallets>[1],
): Promise<WalletLeft[]> {
  const wallets = await grantRows.wallets(db, which);
  const keptFor = wallets.flatMap(({ grants }) => grants.flatMap(keptIds));
  const settled = keptFor.length === 0 ? [] : await ledger.findSettled(db, [...new Set(keptFor)]);
  const charges = new Map(settled.map((entry) => [entry.txn, 0 - entry.account_delta] as const));
  return wallets.map(({ accountId, balance, grants: rows }) => {
    const granted = rows.reduce((sum, { remain }) => sum + remain, 0);
    takeUse(rows, { used: Math.max(0, granted - balance), charges });
    const grants = inOrderOfUse(rows).flatMap((row) => (row.remain > 0 ? [showGrant(row)] : []));
    // A release from before grants, which runs during an update, credits without one.
    if (balance > granted) grants.push({ ...untracked, amount: balance - granted, left: balance - granted });
    return { accountId, balance, grants };
  });
}

const untracked = { id: 0, source: 'balance', paid: 0, isRefundable: false, expiresAt: 0, createdAt: 0 };

const showGrant = (row: grantRows.GrantRow): GrantLeft => ({
  id: row.id,
  source: row.source,
  amount: row.amount,
  left: row.remain,
  paid: shareOfPrice(row, row.remain),
  isRefundable: row.refundable === 1,
  expiresAt: row.expires_at,
  createdAt: row.created_at,
});
