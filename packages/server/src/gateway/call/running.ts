/** A running request, as far as a stop of the process needs it. */
export interface InFlight {
  /** True while it reads the upstream's answer to its end after its caller disconnected. */
  readonly isDraining: boolean;
  /** Its index in the list of running requests; −1 if it is not in it. Set by `Running` only. */
  index: number;
  /** Ends it: its caller gets an error, and its hold is settled. */
  end(reason: 'shutdown'): void;
}

/** Most calls that may read to the end after their caller disconnected: each keeps an upstream busy without a reader. */
const maxDrains = 100;

/**
 * The running requests of this process, which a stop waits for. An array in which the last entry replaces a removed one, and
 * not a Set: a Set with many additions and removals reallocates its tables again and again, and old tables, which the
 * garbage collector frees late, keep every request they ever contained.
 */
export class Running {
  private readonly requests: InFlight[] = [];
  private drains = 0;
  private isEnding = false;
  private onEmpty: (() => void) | undefined;

  get size(): number {
    return this.requests.length;
  }

  add(request: InFlight): void {
    request.index = this.requests.push(request) - 1;
    // It was admitted before the stop and got its hold after it.
    if (this.isEnding) request.end('shutdown');
  }

  delete(request: InFlight): void {
    const { index } = request;
    if (index < 0) return;
    request.index = -1;
    const last = this.requests.pop()!;
    if (last !== request) {
      this.requests[index] = last;
      last.index = index;
    }
    if (request.isDraining) this.drains -= 1;
    if (this.requests.length === 0) this.onEmpty?.();
  }

  /** True if one more call may read to the end without its caller; it then counts until it is over. */
  takeDrain(): boolean {
    if (this.drains >= maxDrains) return false;
    this.drains += 1;
    return true;
  }

  /** Resolves when no request is running, or after `ms`; true in the first case. */
  settled(ms: number): Promise<boolean> {
    if (this.requests.length === 0) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.onEmpty = undefined;
        resolve(false);
      }, ms);
      this.onEmpty = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }

  /** Ends all running requests: each caller gets an error, and each hold is settled. */
  endAll(): void {
    this.isEnding = true;
    // From the end, because a removed entry is replaced by a later one, which has been ended already.
    for (let at = this.requests.length - 1; at >= 0; at -= 1) this.requests[at]?.end('shutdown');
  }
}

/**
 * Cancels the preparation of a request (fetching files, waiting for tasks) when its result is no longer needed: the caller
 * disconnected, the hold was refused, or the process stops.
 */
export class Cancellation {
  private controller: AbortController | undefined;
  private isCancelled = false;

  /** The controller is created on first use, because most calls need no preparation. */
  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.isCancelled) this.controller.abort(cancelled());
    return this.controller.signal;
  }

  cancel(): void {
    this.isCancelled = true;
    this.controller?.abort(cancelled());
  }

  /** The result of the work; undefined if the request was cancelled before. */
  unlessCancelled<T>(work: Promise<T>): Promise<T | undefined> {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      const leave = (): void => resolve(undefined);
      if (signal.aborted) leave();
      else signal.addEventListener('abort', leave, { once: true });
      void work.then(resolve, reject).then(() => signal.removeEventListener('abort', leave));
    });
  }
}

const cancelled = (): Error => new Error('nothing waits for this call any longer');
