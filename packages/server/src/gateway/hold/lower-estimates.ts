import type { Usage, UsageCounter } from '@tollgate/contract';

/** A usage whose `estimates` are lowered, one after the other, until the hold covers it. */
export function lowerEstimates(
  usage: Usage,
  estimates: readonly UsageCounter[],
  isPaid: (usage: Usage) => boolean,
): Usage {
  const paid = { ...usage };
  for (const counter of estimates) {
    paid[counter] = maxPaid(paid[counter], (count) => isPaid({ ...paid, [counter]: count }));
  }
  return paid;
}

/** The largest count up to `count` that is covered; 0 if none is. A cost never decreases when a counter increases. */
function maxPaid(count: number, isPaid: (count: number) => boolean): number {
  if (isPaid(count)) return count;
  let paid = 0;
  for (let unpaid = count; unpaid - paid > 1;) {
    const middle = Math.floor((paid + unpaid) / 2);
    if (isPaid(middle)) paid = middle;
    else unpaid = middle;
  }
  return paid;
}
