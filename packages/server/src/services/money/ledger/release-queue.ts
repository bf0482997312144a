import { InsufficientQuota, type Waiting } from './plan/types.ts';

/** Releases in other processes are not seen: calls that wait try again this often, in ms. */
const pollMs = 100;
/** Calls that wait in this process at most, and those of one payer. A further one has only one attempt. */
const maxWaiting = 10_000;
const maxOfPayer = 1_000;

type Attempt<T> = (isLast: boolean) => Promise<T>;

const isHeld = (error: unknown): error is InsufficientQuota =>
  error instanceof InsufficientQuota && error.isHeld;

/** A call that waits until a release leaves enough for it. */
class Waiter {
  readonly waiting: Waiting;
  /** A smaller rank comes first. */
  readonly rank: number;
  /** Why the last attempt failed. */
  refusal: InsufficientQuota;
  isOver = false;
  private readonly attempt: (isLast: boolean) => Promise<void>;
  private readonly onEnd: (error: unknown) => void;
  private isTrying = false;
  private isLate = false;
  private isGone = false;

  constructor(
    parts: Pick<Waiter, 'waiting' | 'rank' | 'refusal'>,
    attempt: Attempt<void>,
    onEnd: (error: unknown) => void,
  ) {
    this.waiting = parts.waiting;
    this.rank = parts.rank;
    this.refusal = parts.refusal;
    this.attempt = attempt;
    this.onEnd = onEnd;
  }

  /** The row that was short at the last attempt. */
  get shortRow(): string {
    const { reason } = this.refusal;
    const { tokenId, memberId = 0 } = this.waiting.payer;
    return reason === 'account' ? reason : `${reason} ${reason === 'token' ? tokenId : memberId}`;
  }

  /** Tries once, unless an attempt is under way. Returns the refusal if the call goes on waiting. */
  async try(): Promise<InsufficientQuota | undefined> {
    while (!this.isTrying && !this.isOver) {
      const isLast = this.isLate;
      this.isTrying = true;
      try {
        await this.attempt(isLast);
        this.isOver = true;
      } catch (error) {
        if (!isHeld(error) || isLast || this.isGone) this.end(error);
        else this.refusal = error;
      }
      this.isTrying = false;
      if (!this.isOver && !this.isLate) return this.refusal;
    }
    return undefined;
  }

  /** The time is up: one last attempt. */
  expire(): void {
    this.isLate = true;
    void this.try();
  }

  /** The caller has hung up. An attempt that is under way ends first, because it may take a hold. */
  leave(): void {
    this.isGone = true;
    if (!this.isTrying && !this.isOver) this.end(this.refusal);
  }

  private end(error: unknown): void {
    this.isOver = true;
    this.onEnd(error);
  }
}

/** The calls that wait for one payer's account, token or member. */
class Line {
  private readonly waiters: Waiter[] = [];
  private timer: NodeJS.Timeout | undefined;
  private isRunning = false;
  private isReleased = false;

  get length(): number {
    return this.waiters.length;
  }

  /** Running calls come first, then one call of each member in turn. */
  rankOf({ isRunning, payer }: Waiting): number {
    if (isRunning) return -1;
    return this.waiters.filter(({ waiting, rank }) => rank >= 0 && waiting.payer.memberId === payer.memberId)
      .length;
  }

  add(waiter: Waiter): void {
    this.timer ??= setInterval(() => void this.run(), pollMs);
    const next = this.waiters.findIndex(({ rank }) => rank > waiter.rank);
    this.waiters.splice(next < 0 ? this.waiters.length : next, 0, waiter);
  }

  remove(waiter: Waiter): void {
    this.waiters.splice(this.waiters.indexOf(waiter), 1);
    if (this.waiters.length === 0) clearInterval(this.timer);
  }

  /** Something may have been released: tries in order who may have enough now. */
  async run(): Promise<void> {
    this.isReleased = true;
    if (this.isRunning) return;
    this.isRunning = true;
    while (this.isReleased) {
      this.isReleased = false;
      await this.runOnce();
    }
    this.isRunning = false;
  }

  /** One refusal shows how much a row has: who needs more of it is not tried. */
  private async runOnce(): Promise<void> {
    const available = new Map<string, number>();
    for (const waiter of this.waiters.slice()) {
      if (waiter.refusal.needed > (available.get(waiter.shortRow) ?? Infinity)) continue;
      const refusal = await waiter.try();
      if (refusal) available.set(waiter.shortRow, refusal.available);
    }
  }
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

  /** As `CallLedger.whenReleased`. */
  async whenReleased<T>(waiting: Waiting, attempt: Attempt<T>): Promise<T> {
    try {
      return await attempt(false);
    } catch (error) {
      if (!isHeld(error)) throw error;
      return await this.wait(waiting, attempt, error);
    }
  }

  private async wait<T>(waiting: Waiting, attempt: Attempt<T>, refusal: InsufficientQuota): Promise<T> {
    const { payer, caller } = waiting;
    const line = this.lines.get(payer.accountId) ?? new Line();
    if (caller?.destroyed) throw refusal;
    if (this.size >= maxWaiting || line.length >= maxOfPayer) return attempt(true);
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const waiter = new Waiter(
      { waiting, refusal, rank: line.rankOf(waiting) },
      (isLast) => attempt(isLast).then(resolve),
      reject,
    );
    this.lines.set(payer.accountId, line);
    line.add(waiter);
    this.size += 1;
    caller?.once('close', () => waiter.leave());
    const timer = setTimeout(() => waiter.expire(), this.waitMs);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.size -= 1;
      line.remove(waiter);
      if (line.length === 0) this.lines.delete(payer.accountId);
    }
  }

  /** Something of an account was released or credited. */
  released(accountId: number): void {
    void this.lines.get(accountId)?.run();
  }
}
