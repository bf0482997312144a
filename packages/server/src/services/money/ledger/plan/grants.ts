/** The part of a grant that planning needs. `remain` is changed by the plan. */
export interface GrantEntry {
  readonly id: number;
  readonly amount: number;
  remain: number;
  readonly paid: number;
  /** Unix seconds; 0 for never. */
  readonly expires_at: number;
  /** Ids of the running requests for which it is kept after its expiry, by commas; '' before, and '-' once none is left. */
  kept_for: string;
}

/** What the grants of an account are settled with. */
export interface GrantUse {
  /** Quota units used since the grants were last settled. */
  used: number;
  /** Unix seconds. */
  at: number;
  /** Amounts of the present holds of the account, by request id. Needed if a grant has expired. */
  holds: ReadonlyMap<string, number>;
  /** Charges of ended requests for which a grant was kept, by request id. */
  charges: ReadonlyMap<string, number>;
}

/** Result of settling the grants of an account. */
export interface SettledGrants<Grant> {
  /** The amount of each grant that expired now. */
  expirations: { grant: Grant; amount: number }[];
  /** Unix seconds of the first expiry to come; 0 for none. */
  nextExpiry: number;
  /** Quota units of expired grants that are kept for running requests. */
  expired: number;
}

/** The `kept_for` of a grant that is over: no refund fills it again, even if the clock is set back. */
const overMark = '-';

/** Request ids for which a grant is kept. */
export const keptIds = ({ kept_for: ids }: Pick<GrantEntry, 'kept_for'>): string[] =>
  ids === '' || ids === overMark ? [] : ids.split(',');

/** The order of use: the soonest expiry first, then gifts before paid credit, then the oldest. */
export const inOrderOfUse = <Grant extends GrantEntry>(grants: readonly Grant[]): Grant[] =>
  grants.toSorted(
    (a, b) =>
      (a.expires_at || Infinity) - (b.expires_at || Infinity) ||
      Math.sign(a.paid) - Math.sign(b.paid) ||
      a.id - b.id,
  );

/** The share of the price of a grant that a part of it has, rounded down. */
export const shareOfPrice = ({ paid, amount }: Pick<GrantEntry, 'paid' | 'amount'>, part: number): number =>
  amount === 0 ? 0 : Number((BigInt(paid) * BigInt(part)) / BigInt(amount));

/** Takes an amount from grants in the order of use. Returns the part of each; the sum is less if they have less. */
export function takeInOrder<Grant extends GrantEntry>(
  grants: readonly Grant[],
  amount: number,
): { grant: Grant; amount: number }[] {
  const parts: { grant: Grant; amount: number }[] = [];
  let left = amount;
  for (const grant of inOrderOfUse(grants)) {
    const part = Math.min(left, grant.remain);
    if (part <= 0) continue;
    grant.remain -= part;
    left -= part;
    parts.push({ grant, amount: part });
  }
  return parts;
}

const sumOf = (parts: readonly { amount: number }[]): number =>
  parts.reduce((sum, { amount }) => sum + amount, 0);

/**
 * Takes the use since the last time from the grants: charges of ended requests from the grants that were kept for them,
 * everything else in the order of use.
 */
export function takeUse(
  grants: readonly GrantEntry[],
  { used, charges }: Pick<GrantUse, 'used' | 'charges'>,
): void {
  const kept = inOrderOfUse(grants.filter(({ kept_for: ids }) => ids !== ''));
  const others = grants.filter(({ kept_for: ids }) => ids === '');
  const left = used - payKept(kept, new Map(charges), used);
  const rest = left - sumOf(takeInOrder(others, left));
  // A balance that was set below the kept amount.
  takeInOrder(kept, rest);
}

/**
 * Takes the use since the last time from the grants, and ends those that have expired. What running requests held at
 * the expiry is kept for them alone: it pays their charges, and the rest expires when they have ended. The result is
 * the same however often grants are settled in between.
 */
export function settleGrants<Grant extends GrantEntry>(
  grants: readonly Grant[],
  { used, at, holds, charges }: GrantUse,
): SettledGrants<Grant> {
  const ordered = inOrderOfUse(grants);
  const kept = ordered.filter(({ kept_for: ids }) => ids !== '');
  const others = ordered.filter((grant) => !kept.includes(grant));
  takeUse(grants, { used, charges });
  const ended = others.filter(({ expires_at: end, remain }) => end !== 0 && end <= at && remain > 0);
  for (const grant of ended) grant.kept_for = [...holds.keys()].join(',');
  const expirations = expireUncovered([...kept, ...ended], new Map(holds));
  const ends = others.flatMap(({ remain, expires_at: end }) => (remain > 0 && end > at ? [end] : []));
  return {
    expirations,
    nextExpiry: ends.length === 0 ? 0 : Math.min(...ends),
    expired: [...kept, ...ended].reduce((sum, { remain }) => sum + remain, 0),
  };
}

/** Pays charges of ended requests from the grants kept for them. Returns the sum. */
function payKept(kept: readonly GrantEntry[], charges: Map<string, number>, used: number): number {
  let paid = 0;
  for (const grant of kept)
    for (const id of keptIds(grant)) {
      const part = Math.min(grant.remain, charges.get(id) ?? 0, used - paid);
      if (part <= 0) continue;
      grant.remain -= part;
      charges.set(id, (charges.get(id) ?? 0) - part);
      paid += part;
    }
  return paid;
}

/** Ends the part of expired grants that no running request of theirs holds. */
function expireUncovered<Grant extends GrantEntry>(
  grants: readonly Grant[],
  holds: Map<string, number>,
): { grant: Grant; amount: number }[] {
  const expirations: { grant: Grant; amount: number }[] = [];
  for (const grant of grants) {
    let covered = 0;
    const running = keptIds(grant).filter((id) => holds.has(id));
    for (const id of running) {
      const part = Math.min(grant.remain - covered, holds.get(id) ?? 0);
      holds.set(id, (holds.get(id) ?? 0) - part);
      covered += part;
    }
    const amount = grant.remain - covered;
    grant.remain = covered;
    grant.kept_for = covered === 0 ? overMark : running.join(',');
    if (amount > 0) expirations.push({ grant, amount });
  }
  return expirations;
}

/**
 * Returns an amount to used grants, in the reverse order of use: the last use is undone first. Returns the part that no
 * grant takes.
 */
export function giveBackInOrder(grants: readonly GrantEntry[], amount: number): number {
  let left = amount;
  for (const grant of inOrderOfUse(grants).toReversed()) {
    const part = Math.min(left, grant.amount - grant.remain);
    grant.remain += part;
    left -= part;
  }
  return left;
}
