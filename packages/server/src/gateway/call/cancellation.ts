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
