import { callLeaseMs, type CallLimit, type EndedCall, type ReachedLimit, type StartingCall } from './port.ts';

/** Seconds that are counted: the present one and 60 before, which contain every window of 60 seconds. */
export const countedSeconds = 61;

interface Second {
  requests: number;
  tokens: number;
}

/** Running calls under one name, and those that started in the last minute. The script in redis.ts does the same. */
export class CallMeter {
  /** Call id → end of its lease, Unix ms. */
  private readonly running = new Map<string, number>();
  /** Unix second → what started in it. */
  private readonly seconds = new Map<number, Second>();

  /** The limit that a further call would pass; undefined if it may start. */
  reached(
    { name, requests, tokens, calls }: CallLimit,
    call: StartingCall,
    now: number,
  ): ReachedLimit | undefined {
    this.forget(now);
    if (calls > 0 && this.running.size >= calls) return { name, by: 'calls', waitMs: 0 };
    const most = { requests, tokens };
    // A call above the limit starts when nothing else counts.
    const asked = { requests: 1, tokens: Math.min(call.tokens, tokens) };
    for (const by of ['requests', 'tokens'] as const) {
      if (most[by] === 0) continue;
      const waitMs = this.waitFor(by, most[by] - asked[by], now);
      if (waitMs > 0) return { name, by, waitMs };
    }
    return undefined;
  }

  enter({ requests, tokens, calls }: CallLimit, call: StartingCall, now: number): void {
    if (calls > 0) this.running.set(call.id, now + callLeaseMs);
    if (requests > 0 || tokens > 0) this.add(now, 1, call.tokens);
  }

  leave({ id, tokens, startedAt, used }: EndedCall, now: number): void {
    this.running.delete(id);
    this.forget(now);
    if (used === null) return;
    const started = this.seconds.get(secondOf(startedAt));
    if (started) started.tokens -= tokens;
    this.add(now, 0, used);
  }

  renew(ids: readonly string[], now: number): void {
    this.forget(now);
    for (const id of ids) if (this.running.has(id)) this.running.set(id, now + callLeaseMs);
  }

  /** Time in ms until at most `most` are left in the window. */
  private waitFor(by: keyof Second, most: number, now: number): number {
    let sum = 0;
    for (const second of this.seconds.values()) sum += second[by];
    if (sum <= most) return 0;
    for (const at of [...this.seconds.keys()].toSorted((a, b) => a - b)) {
      sum -= this.seconds.get(at)![by];
      if (sum <= most) return (at + countedSeconds) * 1_000 - now;
    }
    return countedSeconds * 1_000;
  }

  private add(now: number, requests: number, tokens: number): void {
    const second = this.seconds.get(secondOf(now)) ?? { requests: 0, tokens: 0 };
    second.requests += requests;
    second.tokens += tokens;
    this.seconds.set(secondOf(now), second);
  }

  private forget(now: number): void {
    for (const [id, until] of this.running)
      if (until <= now || until > now + 2 * callLeaseMs) this.running.delete(id);
    // A clock that was set back leaves seconds in the future.
    for (const at of this.seconds.keys())
      if (Math.abs(secondOf(now) - at) >= countedSeconds) this.seconds.delete(at);
  }
}

const secondOf = (now: number): number => Math.floor(now / 1_000);
