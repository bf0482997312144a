type Listener = (notice: string) => void;

/** The listeners of each channel in this process. */
export class Listeners {
  private readonly byChannel = new Map<string, Set<Listener>>();

  /** Returns true for the channel's first listener. */
  add(channel: string, listener: Listener): boolean {
    const known = this.byChannel.get(channel);
    if (known) {
      known.add(listener);
      return false;
    }
    this.byChannel.set(channel, new Set([listener]));
    return true;
  }

  /** Returns true for the channel's last listener. */
  remove(channel: string, listener: Listener): boolean {
    const known = this.byChannel.get(channel);
    if (!known?.delete(listener) || known.size > 0) return false;
    return this.byChannel.delete(channel);
  }

  /**
   * Calls each listener in its own microtask, so that an exception of one stops neither the others nor the publisher.
   */
  notify(channel: string, notice: string): void {
    for (const listener of this.byChannel.get(channel) ?? []) setImmediate(listener, notice);
  }

  /** The channels with listeners. */
  channels(): string[] {
    return [...this.byChannel.keys()];
  }

  clear(): void {
    this.byChannel.clear();
  }
}
