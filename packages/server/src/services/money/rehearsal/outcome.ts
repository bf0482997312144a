import type { RehearsalOutcome } from '@tollgate/contract';
import { type Db, payers as payerRows, users } from '../../../store/index.ts';
import { mostAffected, type Sums, type Totals } from './totals.ts';

/** Size of each list. */
const listed = 50;
/** A balance that lasts for fewer days is nearly used up. */
const soonDays = 7;

type Dry = RehearsalOutcome['dry'][number];

const sums = ({ rows, before, after }: Sums) => ({ rows, before, after });

/** Days until a balance is used up at the rate of `days`; null if never. */
const lasts = (balance: number, used: number, days: number): number | null =>
  used <= 0 ? null : Math.floor((Math.max(0, balance) / used) * days * 10) / 10;

function dryOf(payer: payerRows.Payer, { before, after }: Sums, days: number): Omit<Dry, 'kind'> | undefined {
  const { id, name, balance } = payer;
  const below = balance - (after - before) < 0;
  const left = lasts(balance, after, days);
  if (!below && (left === null || left >= soonDays)) return undefined;
  const leftBefore = lasts(balance, before, days);
  return {
    id,
    name,
    balance,
    before,
    after,
    below_zero: below,
    days_left_before: leftBefore,
    days_left: left,
  };
}

/** Payers with higher costs who would run out of money: now, or within a week at this rate. */
async function dryPayers(db: Db, totals: Totals, days: number): Promise<{ dry: Dry[]; count: number }> {
  const dearer = [...totals.payers].filter(([, { before, after }]) => after > before);
  const idsOf = (isTeam: boolean) => dearer.filter(([id]) => id > 0 === isTeam).map(([id]) => Math.abs(id));
  const found: Dry[] = [];
  for (const isTeam of [false, true]) {
    const wallets = await (isTeam ? payerRows.teamWallets : payerRows.people)(db, idsOf(isTeam));
    for (const wallet of wallets) {
      const dry = dryOf(wallet, totals.payers.get(isTeam ? wallet.id : -wallet.id)!, days);
      if (dry) found.push({ kind: isTeam ? 'team' : 'user', ...dry });
    }
  }
  const sorted = found.toSorted(
    (a, b) => a.balance - (a.after - a.before) - (b.balance - (b.after - b.before)),
  );
  return { dry: sorted.slice(0, listed), count: found.length };
}

/** Converts totals to the API's format, with present names and balances. `days` is the priced range. */
export async function collectOutcome(db: Db, totals: Totals, days: number): Promise<RehearsalOutcome> {
  const affected = mostAffected(totals.users, listed);
  const keys = mostAffected(totals.keys, listed);
  const ids = new Set([...affected.map(([id]) => id), ...keys.map(([, { userId }]) => userId)]);
  const userNames = await users.findNames(db, [...ids]);
  const keyNames = await payerRows.keyNames(
    db,
    keys.map(([id]) => id).filter((id) => id > 0),
  );
  const changed = (map: ReadonlyMap<unknown, Sums>) => mostAffected(map, Infinity).length;
  const { dry, count } = await dryPayers(db, totals, days);
  return {
    total: sums(totals.total),
    cheaper: totals.cheaper,
    dearer: totals.dearer,
    costed: { ...sums(totals.costed), cost: totals.costed.cost },
    apart: [...totals.apart].map(([reason, { rows, quota }]) => ({ reason, rows, quota })),
    users: affected.map(([id, each]) => ({ id, name: userNames.get(id) ?? '', ...sums(each) })),
    keys: keys.map(([id, each]) => ({
      id: Math.max(0, id),
      name: keyNames.get(id) ?? '',
      user_id: each.userId,
      user_name: userNames.get(each.userId) ?? '',
      ...sums(each),
    })),
    models: mostAffected(totals.models, listed).map(([name, each]) => ({ name, ...sums(each) })),
    changed: { users: changed(totals.users), keys: changed(totals.keys), models: changed(totals.models) },
    dry,
    dry_count: count,
  };
}
