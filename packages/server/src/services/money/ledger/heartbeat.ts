import { heartbeats, type Store } from '../../../store/index.ts';
import type { Log } from '../../../lib/log.ts';

const everyMs = 1_000;

/**
 * Writes a heartbeat each second. Other processes on the same database do not end the holds of a process with a recent
 * heartbeat.
 */
export class Heartbeat {
  private readonly store: Store;
  private readonly node: string;
  private readonly log: Log;
  private count = 0;
  private isWriting = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(store: Store, node: string, log: Log) {
    this.store = store;
    this.node = node;
    this.log = log;
  }

  /** Starts the heartbeat; no effect on SQLite, where one process owns the file. */
  start(): void {
    if (this.store.sqlite || this.timer) return;
    void this.write();
    this.timer = setInterval(() => void this.write(), everyMs);
    this.timer.unref();
  }

  private async write(): Promise<void> {
    if (this.isWriting) return;
    this.isWriting = true;
    this.count += 1;
    try {
      await heartbeats.write(this.store.db, this.node, this.count);
    } catch (error) {
      this.log.warn({ err: error }, 'the sign of life could not be written');
    } finally {
      this.isWriting = false;
    }
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /** Stops and deletes the heartbeat. Other processes may end the remaining holds of this one at once. */
  async end(): Promise<void> {
    if (!this.timer) return;
    this.stop();
    await heartbeats.forget(this.store.db, this.node).catch(() => undefined);
  }
}
