import type { Clock } from '../../../lib/clock.ts';
import { type Db, leases } from '../../../store/index.ts';

const nameOf = (channelId: number): string => `poll:${channelId}`;

/** The lease of a channel expires after this time without renewal. */
const leaseMs = 60_000;

/**
 * The channels that this process polls: a lease gives each channel to one process on the database until it is released
 * or not renewed for a minute. Renewed on request, and only after half of its time, so that it rarely costs a
 * statement.
 */
export class ChannelLeases {
  private readonly db: Db;
  private readonly clock: Clock;
  /** Unix ms at which each lease of this process expires. */
  private readonly ends = new Map<number, number>();
  private readonly asked = new Map<number, Promise<boolean>>();

  constructor({ db, clock }: { db: Db; clock: Clock }) {
    this.db = db;
    this.clock = clock;
  }

  /** True if this process may poll the channel, for at least half a minute. Simultaneous calls share a result. */
  hold(channelId: number): Promise<boolean> {
    const asked = this.asked.get(channelId);
    if (asked) return asked;
    const answer = this.ask(channelId).finally(() => this.asked.delete(channelId));
    this.asked.set(channelId, answer);
    return answer;
  }

  private async ask(channelId: number): Promise<boolean> {
    const now = this.clock();
    const end = this.ends.get(channelId) ?? 0;
    if (end - now > leaseMs / 2) return true;
    const until = now + leaseMs;
    const isOurs =
      (end > now && (await leases.renew(this.db, nameOf(channelId), end, until))) ||
      (await leases.take(this.db, nameOf(channelId), now, until));
    if (isOurs) this.ends.set(channelId, until);
    else this.ends.delete(channelId);
    return isOurs;
  }

  /** Releases all leases, so that another process can continue at once. */
  async release(): Promise<void> {
    const ends = [...this.ends];
    this.ends.clear();
    for (const [channelId, until] of ends) await leases.release(this.db, nameOf(channelId), until);
  }
}
