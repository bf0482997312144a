import type { Clock } from '../../lib/clock.ts';
import { type Db, leases } from '../../store/index.ts';

const nameOf = (channelId: number): string => `poll:${channelId}`;

/** A process that says nothing of a channel for so long does not poll it any more. */
const leaseMs = 60_000;

/**
 * Which channels this process polls: of all processes on the database one has each, until it gives it back or is silent
 * for a minute. Renewed by asking, and only when half of it is over, so that it costs a statement now and then.
 */
export class ChannelLeases {
  readonly #db: Db;
  readonly #clock: Clock;
  /** Unix ms at which each ends that this process has. */
  readonly #ends = new Map<number, number>();
  readonly #asked = new Map<number, Promise<boolean>>();

  constructor({ db, clock }: { db: Db; clock: Clock }) {
    this.#db = db;
    this.#clock = clock;
  }

  /** True where the channel is this process's to poll, for half a minute at least. Those who ask at once share an answer. */
  hold(channelId: number): Promise<boolean> {
    const asked = this.#asked.get(channelId);
    if (asked) return asked;
    const answer = this.#ask(channelId).finally(() => this.#asked.delete(channelId));
    this.#asked.set(channelId, answer);
    return answer;
  }

  async #ask(channelId: number): Promise<boolean> {
    const now = this.#clock();
    const end = this.#ends.get(channelId) ?? 0;
    if (end - now > leaseMs / 2) return true;
    const until = now + leaseMs;
    const isOurs =
      (end > now && (await leases.renew(this.#db, nameOf(channelId), end, until))) ||
      (await leases.take(this.#db, nameOf(channelId), now, until));
    if (isOurs) this.#ends.set(channelId, until);
    else this.#ends.delete(channelId);
    return isOurs;
  }

  /** Gives all of them back, for another process to go on at once. */
  async release(): Promise<void> {
    const ends = [...this.#ends];
    this.#ends.clear();
    for (const [channelId, until] of ends) await leases.release(this.#db, nameOf(channelId), until);
  }
}
