/** One Ctrl-C may come up to three times: from the terminal, from npm, and from the launcher that passes it on. */
const sameWishMs = 1_000;

/**
 * Signals that ask this process to stop, heard from its first moment. Before anything is opened it simply ends; while parts
 * are being opened the request is kept until they can be closed in good order.
 */
export class Stops {
  /** By performance.now(), when a stop was asked for first. */
  private askedAt: number | undefined;
  private isOpening = false;
  private stop: (() => void) | undefined;

  constructor() {
    const hear = (): void => this.hear();
    process.on('SIGINT', hear);
    process.on('SIGTERM', hear);
  }

  /** True where a stop was asked for. */
  get isAsked(): boolean {
    return this.askedAt !== undefined;
  }

  /** From now on there is something to close. */
  opening(): void {
    this.isOpening = true;
  }

  /** What a stop does; at once, where it was asked for already. */
  does(stop: () => void): void {
    this.stop = stop;
    if (this.isAsked) stop();
  }

  private hear(): void {
    const now = performance.now();
    if (this.askedAt !== undefined) {
      // A second Ctrl-C is somebody who will not wait; recovery settles what is cut off.
      if (now - this.askedAt > sameWishMs) process.exit(130);
      return;
    }
    this.askedAt = now;
    if (this.stop) this.stop();
    else if (this.isOpening) process.stdout.write('Stopping: once the start is through …\n');
    else process.exit(0);
  }
}
