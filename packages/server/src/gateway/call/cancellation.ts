/**
 * Cancels what is done for a request before its call is sent (files are fetched, tasks waited for), because nothing waits
 * for it any longer: its caller left, its hold was refused, the process stops.
 */
export class Cancellation {
  private controller: AbortController | undefined;
  private isCancelled = false;

  /** The controller is made with the first question for it: most calls are written at once, and need none. */
  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.isCancelled) this.controller.abort(cancelled());
    return this.controller.signal;
  }

  cancel(): void {
    this.isCancelled = true;
    this.controller?.abort(cancelled());
  }

  /** What comes of the work; undefined where the request was cancelled before it. */
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
