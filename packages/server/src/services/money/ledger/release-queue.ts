import { InsufficientQuota, type Waiting } from './plan/types.ts';

/** Releases in other processes are not seen: waiting calls retry at this interval, in ms. */
const pollMs = 100;
/** Maximum number of waiting calls in this process, and of one payer. Further calls have only one attempt. */
const maxWaiting = 10_000;
const maxOfPayer = 1_000;

type Attempt<T> = (isLast: boolean) => Promise<T>;

const isHeld = (error: unknown): error is InsufficientQuota =>
  error instanceof InsufficientQuota && error.isHeld;

/** A call that waits until a release leaves enough for it. */
class Waiter {
  readonly waiting: Waiting;
  isOver = false;
  /** Error of the last attempt; undefined before the first. */
  refusal: InsufficientQuota | undefined;
  private readonly attempt: (isLast: boolean) => Promise<void>;
  private readonly onEnd: (error: unknown) => void;
  private isTrying = false;
  private isLate = false;
  private isGone = false;

  constructor(
    parts: Pick<Waiter, 'waiting' | 'refusal'>,
    attempt: Attempt<void>,
    onEnd: (error: unknown) => void,
  ) {
    this.waiting = parts.waiting;
    this.refusal = parts.refusal;
    this.attempt = attempt;
    this.onEnd = onEnd;
  }

  /** 0 for personal wallets. */
  get memberId(): number {
    return this.waiting.payer.memberId ?? 0;
  }

  /** Makes one attempt, unless one is running. Returns its result; undefined if the call has ended otherwise. */
  async try(): Promise<'served' | 'refused' | undefined> {
    while (!this.isTrying && !this.isOver) {
      const isLast = this.isLate;
      this.isTrying = true;
      try {
        await this.attempt(isLast);
        this.isOver = true;
        return 'served';
      } catch (error) {
        if (!isHeld(error) || isLast || this.isGone) this.end(error);
        else this.refusal = error;
      } finally {
        this.isTrying = false;
      }
      if (!this.isOver && !this.isLate) return 'refused';
    }
    return undefined;
  }

  /** Makes one last attempt after the time limit. */
  expire(): void {
    this.isLate = true;
    void this.try();
  }

  /** Ends the wait of a caller that disconnected. A running or first attempt is awaited, because it may take a hold. */
  leave(): void {
    this.isGone = true;
    if (!this.isTrying && !this.isOver && this.refusal) this.end(this.refusal);
  }

  private end(error: unknown): void {
    this.isOver = true;
    this.onEnd(error);
  }
}

/** Free amounts that remain after the failed attempts of one round. */
class SeenRows {
  private readonly available = new Map<string, number>();

  /** False if the row that was short at the last attempt is known to have too little. */
  mayCover({ refusal, waiting }: Waiter): boolean {
    return !refusal || refusal.needed <= (this.available.get(rowOf(refusal, waiting)) ?? Infinity);
  }

  note({ refusal, waiting }: Waiter): void {
    if (refusal) this.available.set(rowOf(refusal, waiting), refusal.available);
  }
}

function rowOf({ reason, budget }: InsufficientQuota, { payer }: Waiting): string {
  if (budget) return `${reason} ${budget.id}`;
  return reason === 'account' ? reason : `${reason} ${reason === 'token' ? payer.tokenId : payer.memberId}`;
}

/**
 * Calls that wait for the account, token or member limit of one payer. Running calls take precedence. Then members take
 * turns: the next member is the one with the oldest last turn, and the next call is its oldest one that fits.
 */
class Line {
  private readonly running: Waiter[] = [];
  /** In the order of their turns. */
  private readonly members = new Map<number, Waiter[]>();
  private timer: NodeJS.Timeout | undefined;
  private isTrying = false;
  private isReleased = false;
  length = 0;

  add(waiter: Waiter): void {
    this.timer ??= setInterval(() => void this.run(), pollMs);
    this.length += 1;
    if (waiter.waiting.isRunning) this.running.push(waiter);
    else {
      const calls = this.members.get(waiter.memberId);
      if (calls) calls.push(waiter);
      else this.members.set(waiter.memberId, [waiter]);
    }
  }

  /** Ends a call; a served one was its member's turn. */
  remove(waiter: Waiter, isServed: boolean): void {
    const { memberId } = waiter;
    const calls = waiter.waiting.isRunning ? this.running : (this.members.get(memberId) ?? []);
    calls.splice(calls.indexOf(waiter), 1);
    if (calls !== this.running && (isServed || calls.length === 0)) {
      this.members.delete(memberId);
      if (calls.length > 0) this.members.set(memberId, calls);
    }
    this.length -= 1;
    if (this.length === 0) clearInterval(this.timer);
  }

  /** Called after a possible release: makes attempts in order for calls that may have enough now. */
  async run(): Promise<void> {
    this.isReleased = true;
    if (this.isTrying) return;
    this.isTrying = true;
    while (this.isReleased) {
      this.isReleased = false;
      await this.runOnce();
    }
    this.isTrying = false;
  }

  private async runOnce(): Promise<void> {
    const seen = new SeenRows();
    for (const waiter of this.running.slice()) await tryOne(waiter, seen);
    // A member that has had its turn is visited again, as the last one.
    for (const calls of this.members.values()) await tryOldest(calls, seen);
  }
}

/**
 * One refusal shows the free amount of a row: calls that need more of it are skipped. Returns true if the call was
 * served.
 */
async function tryOne(waiter: Waiter, seen: SeenRows): Promise<boolean> {
  const outcome = seen.mayCover(waiter) ? await waiter.try() : undefined;
  if (outcome === 'refused') seen.note(waiter);
  return outcome === 'served';
}

/** Makes attempts for the calls of a member in order until one gets its hold. */
async function tryOldest(calls: readonly Waiter[], seen: SeenRows): Promise<void> {
  for (const waiter of calls.slice()) if (await tryOne(waiter, seen)) return;
}

/** Calls that wait for holds of their payer to end. */
export class ReleaseQueue {
  private readonly waitMs: number;
  /** By account. */
  private readonly lines = new Map<number, Line>();
  private size = 0;

  constructor(waitMs: number) {
    this.waitMs = waitMs;
  }

  get isEmpty(): boolean {
    return this.size === 0;
  }

  /** See `CallLedger.whenReleased`. A new call does not overtake waiting ones: its first attempt is in its turn. */
  async whenReleased<T>(waiting: Waiting, attempt: Attempt<T>): Promise<T> {
    const isFirst = waiting.isRunning || !this.lines.has(waiting.payer.accountId);
    if (!isFirst) return this.wait(waiting, attempt);
    try {
      return await attempt(false);
    } catch (error) {
      if (!isHeld(error)) throw error;
      return await this.wait(waiting, attempt, error);
    }
  }

  private async wait<T>(waiting: Waiting, attempt: Attempt<T>, refusal?: InsufficientQuota): Promise<T> {
    const { payer, caller } = waiting;
    const line = this.lines.get(payer.accountId) ?? new Line();
    if (refusal && caller?.destroyed) throw refusal;
    if (this.size >= maxWaiting || line.length >= maxOfPayer) return attempt(true);
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let isServed = false;
    const waiter = new Waiter(
      { waiting, refusal },
      async (isLast) => {
        resolve(await attempt(isLast));
        isServed = true;
      },
      reject,
    );
    this.lines.set(payer.accountId, line);
    line.add(waiter);
    this.size += 1;
    caller?.once('close', () => waiter.leave());
    const timer = setTimeout(() => waiter.expire(), this.waitMs);
    if (!refusal) void line.run();
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.size -= 1;
      line.remove(waiter, isServed);
      if (line.length === 0) this.lines.delete(payer.accountId);
    }
  }

  /** Called after a release or credit on an account. */
  released(accountId: number): void {
    void this.lines.get(accountId)?.run();
  }
}
