import type { LiabilitiesData, LiabilityRow } from '@tollgate/contract';
import { type Clock, seconds } from '../../../lib/clock.ts';
import type { Db } from '../../../store/index.ts';
import { type GrantLeft, readGrantsLeft } from '../ledger/index.ts';

/** Wallets that are read in one statement. */
const walletsAtOnce = 500;
/** Seconds of "soon" in the report. */
const soon = 30 * 86_400;

/**
 * What the site owes its users, by source of the credit: the rests of all grants. The sum is that of all balances, to
 * the unit, because balance and grants of each wallet are read in one statement. `reports` is a connection for slow
 * reads.
 */
export async function readLiabilities({
  reports,
  clock,
}: {
  reports: Db;
  clock: Clock;
}): Promise<LiabilitiesData> {
  const by = seconds(clock) + soon;
  const rows = new Map<string, LiabilityRow>();
  let [after, wallets, balance] = [0, 0, 0];
  for (;;) {
    const some = await readGrantsLeft(reports, { after, limit: walletsAtOnce });
    for (const wallet of some) {
      balance += wallet.balance;
      wallets += 1;
      for (const grant of wallet.grants) add(rows, grant, by);
    }
    const last = some.at(-1);
    if (!last || some.length < walletsAtOnce) break;
    after = last.accountId;
  }
  const sorted = [...rows.values()].toSorted((a, b) => b.left - a.left);
  return { rows: sorted.map(inCurrency), balance, wallets };
}

function add(rows: Map<string, LiabilityRow>, grant: GrantLeft, by: number): void {
  const { source, left, paid } = grant;
  const row = rows.get(source) ?? {
    source,
    left: 0,
    bought: 0,
    given: 0,
    paid: 0,
    refundable: 0,
    expiring: 0,
  };
  row.left += left;
  // Its price may be rounded down to nothing.
  if (paid > 0 || grant.isRefundable) row.bought += left;
  else row.given += left;
  row.paid += paid;
  if (grant.isRefundable) row.refundable += left;
  if (grant.expiresAt > 0 && grant.expiresAt <= by) row.expiring += left;
  rows.set(source, row);
}

const inCurrency = (row: LiabilityRow): LiabilityRow => ({ ...row, paid: row.paid / 100 });
