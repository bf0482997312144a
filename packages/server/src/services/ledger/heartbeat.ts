import { nodeBeats, type Store } from '../../store/index.ts';
import type { Log } from '../../lib/log.ts';

const everyMs = 1_000;

/** Tells the other processes on the same database that this one lives, so that they leave its holds alone. */
export class Heartbeat {
  private readonly store: Store;
  private readonly node: string;
  private readonly log: Log;
  private count = 0;
  private isBeating = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(store: Store, node: string, log: Log) {
    this.store = store;
    this.node = node;
    this.log = log;
  }

  /** Starts beating. One process owns a SQLite file, so nobody needs to know there. */
  start(): void {
    if (this.store.sqlite || this.timer) return;
    void this.beat();
    this.timer = setInterval(() => void this.beat(), everyMs);
    this.timer.unref();
  }

  private async beat(): Promise<void> {
    if (this.isBeating) return;
    this.isBeating = true;
    this.count += 1;
    try {
      await nodeBeats.beat(this.store.db, this.node, this.count);
    } catch (error) {
      this.log.warn({ err: error }, 'the sign of life could not be written');
    } finally {
      this.isBeating = false;
    }
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /** Stops, and takes the sign away: what is left of this process may be ended by others. */
  async end(): Promise<void> {
    if (!this.timer) return;
    this.stop();
    await nodeBeats.forget(this.store.db, this.node).catch(() => undefined);
  }
}
