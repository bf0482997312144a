/**
 * Tells those who work for a request before its call is sent (files are fetched, tasks waited for) that nobody waits
 * for it any longer: its caller left, its hold was refused, the process stops.
 */
export class Ending {
  private controller: AbortController | undefined;
  private hasEnded = false;

  /** Made for those who ask: most calls are written at once, and need none. */
  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.hasEnded) this.controller.abort(ended());
    return this.controller.signal;
  }

  end(): void {
    this.hasEnded = true;
    this.controller?.abort(ended());
  }

  /** What comes of the work; undefined where the request ended before it. */
  orEnd<T>(work: Promise<T>): Promise<T | undefined> {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      const leave = (): void => resolve(undefined);
      if (signal.aborted) leave();
      else signal.addEventListener('abort', leave, { once: true });
      void work.then(resolve, reject).then(() => signal.removeEventListener('abort', leave));
    });
  }
}

const ended = (): Error => new Error('nobody waits for this call any longer');
