type Listener = (notice: string) => void;

/** Who listens to which channel in this process. */
export class Listeners {
  readonly #byChannel = new Map<string, Set<Listener>>();

  /** Answers true when it is the channel's first listener. */
  add(channel: string, listener: Listener): boolean {
    const known = this.#byChannel.get(channel);
    if (known) {
      known.add(listener);
      return false;
    }
    this.#byChannel.set(channel, new Set([listener]));
    return true;
  }

  /** Answers true when it was the channel's last listener. */
  remove(channel: string, listener: Listener): boolean {
    const known = this.#byChannel.get(channel);
    if (!known?.delete(listener) || known.size > 0) return false;
    return this.#byChannel.delete(channel);
  }

  /** Calls each listener in a turn of its own, so that one that throws neither stops the others nor the publisher. */
  notify(channel: string, notice: string): void {
    for (const listener of this.#byChannel.get(channel) ?? []) setImmediate(listener, notice);
  }

  /** The channels that somebody listens to. */
  channels(): string[] {
    return [...this.#byChannel.keys()];
  }

  clear(): void {
    this.#byChannel.clear();
  }
}
