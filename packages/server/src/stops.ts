/**
 * Signals that ask this process to stop, heard from its first moment. Before anything is opened it simply ends; while parts
 * are being opened the request is kept until they can be closed in good order.
 */
export class Stops {
  #asked = 0;
  #isOpening = false;
  #stop: (() => void) | undefined;

  constructor() {
    const hear = (): void => this.#hear();
    process.on('SIGINT', hear);
    process.on('SIGTERM', hear);
  }

  /** True where a stop was asked for. */
  get isAsked(): boolean {
    return this.#asked > 0;
  }

  /** From now on there is something to close. */
  opening(): void {
    this.#isOpening = true;
  }

  /** What a stop does; at once, where it was asked for already. */
  does(stop: () => void): void {
    this.#stop = stop;
    if (this.isAsked) stop();
  }

  #hear(): void {
    this.#asked += 1;
    // A second Ctrl-C is somebody who will not wait; recovery settles what is cut off.
    if (this.#asked > 1) process.exit(130);
    if (this.#stop) this.#stop();
    else if (this.#isOpening) process.stdout.write('Stopping: once the start is through …\n');
    else process.exit(0);
  }
}
