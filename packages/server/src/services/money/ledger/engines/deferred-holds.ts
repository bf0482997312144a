import { type Batch, newBatch } from './batch.ts';
import type { Books, Changes, HoldEntry } from '../plan/books.ts';
import { claim } from '../plan/plan.ts';

/** How many of the newest settlements decide how soon answers come. */
const remembered = 32;
/** Timers count whole milliseconds, so that a turn may come this much before its time. */
const slackMs = 1;

/**
 * Which deferrable holds are left out of a batch that others need now. Where most calls are settled within the deferral of
 * their hold, such a hold never becomes a row; where answers take longer, leaving it out would only make one commit more.
 */
export class DeferredHolds {
  /** How many of the newest settlements came in time. */
  private share = 0;

  /** A call is settled: was it within the deferral of its hold? */
  note({ deferredUntil }: HoldEntry): void {
    if (deferredUntil > 0)
      this.share += ((performance.now() < deferredUntil ? 1 : 0) - this.share) / remembered;
  }

  /** The holds of a batch that may stay deferred: not written, not ended, and with no caller that waits for them. */
  holdsOf({ isUrgent, changes }: Batch): HoldEntry[] {
    const deferred: HoldEntry[] = [];
    if (isUrgent || this.share <= 0.5) return deferred;
    const soon = performance.now() + slackMs;
    for (const hold of changes.holds) {
      if (!hold.stored && hold.open && hold.by && hold.by.deferredUntil > soon) deferred.push(hold);
    }
    return deferred;
  }
}

/** How long the holds of a batch that begins with deferrable ones may wait; 0 where it does not. */
export function deferralLeft({ ops: [first] }: Batch): number {
  return first?.kind === 'reserve' ? Math.max(slackMs, first.deferredUntil - performance.now()) : 0;
}

/** Takes holds out of what a batch writes, and what they claim off the figures that it writes. */
export function setAside(books: Books, changes: Changes, holds: readonly HoldEntry[]): void {
  for (const hold of holds) {
    const { row } = hold;
    const account = books.accounts.get(row.account_id);
    const token = books.tokens.get(row.token_id);
    if (account) account.held -= row.amount;
    if (token) token.held -= row.token_amount;
    const member = books.members.get(row.member_id);
    if (member) member.held -= row.member_amount;
    changes.holds.delete(hold);
  }
}

/** The batch was not written: they belong to it as before. */
export function putBack(books: Books, changes: Changes, holds: readonly HoldEntry[]): void {
  for (const hold of holds) {
    const { amount } = hold.row;
    hold.row.amount = 0;
    hold.row.token_amount = 0;
    hold.row.member_amount = 0;
    claim(books, changes, hold, amount);
  }
}

/** The batch was written without them: they are the first of the next. */
export function nextBatch(books: Books, holds: readonly HoldEntry[]): Batch {
  const next = newBatch();
  putBack(books, next.changes, holds);
  for (const { by } of holds) {
    if (!by) continue;
    by.later = next.granted.promise;
    next.ops.push(by);
  }
  return next;
}
