import type { ProcessLink } from '../../lib/processes/process-link.ts';
import { busyError } from '../dialects/sqlite.ts';
import type { ApplyChange } from '../drivers/change-notifier.ts';
import type { SqliteFile } from '../drivers/sqlite-file.ts';
import { applyThrough, offerChanges } from './change-notices.ts';
import { failureOf, type Outcome, type Written, writes } from './writes.ts';

/** A transaction without activity for this long is ended, because everything else waits for it. */
const silentMs = 2_000;

/** The writes of another process through the connection of this one. */
class ForeignWrites {
  private readonly file: SqliteFile;
  /** The timers of open transactions by id, which end an inactive one. At most one has the connection. */
  private readonly open = new Map<number, NodeJS.Timeout>();
  private readonly apply: ApplyChange;
  private isGone = false;

  /** `apply` makes the other process apply a change. */
  constructor(file: SqliteFile, apply: ApplyChange) {
    this.file = file;
    this.apply = apply;
  }

  async run(sql: string, parameters: readonly unknown[]): Promise<Written> {
    await this.file.mutex.acquire();
    try {
      return await this.file.execute(sql, parameters);
    } finally {
      this.file.mutex.release();
    }
  }

  async begin(id: number): Promise<undefined> {
    const file = this.file;
    await file.mutex.acquire();
    try {
      await file.begin();
      if (this.isGone) throw new Error('the process that began the transaction is gone');
    } catch (error) {
      file.rollback();
      file.mutex.release();
      throw error;
    }
    this.watch(id);
  }

  async within(id: number, sql: string, parameters: readonly unknown[]): Promise<Written> {
    this.alive(id);
    return this.file.execute(sql, parameters);
  }

  async end(id: number, isCommitted: boolean): Promise<undefined> {
    let isAnnounced = false;
    try {
      // A transaction that was ended for inactivity has been rolled back already.
      if (!isCommitted) return;
      this.alive(id);
      await this.file.execute('commit', []);
      isAnnounced = this.file.changeNotifier.take();
      this.file.onCommit?.();
    } finally {
      this.finish(id);
    }
    if (isAnnounced) await this.file.changeNotifier.notifyAll(this.apply);
  }

  /** The process has ended: its open transactions are rolled back. */
  leave(): void {
    this.isGone = true;
    for (const id of this.open.keys()) this.finish(id);
  }

  /** Restarts the inactivity timer of a transaction. Throws if it was ended: nothing of it is there, so it is run again. */
  private alive(id: number): void {
    const timer = this.open.get(id);
    if (!timer) throw busyError(`the transaction was ended after ${silentMs} ms without a statement`);
    clearTimeout(timer);
    this.watch(id);
  }

  private watch(id: number): void {
    this.open.set(
      id,
      setTimeout(() => this.finish(id), silentMs),
    );
  }

  /** Rolls back what is not committed, and releases the connection. */
  private finish(id: number): void {
    const timer = this.open.get(id);
    if (!timer) return;
    clearTimeout(timer);
    this.open.delete(id);
    this.file.rollback();
    this.file.mutex.release();
  }
}

/**
 * Writes the SQLite file for the process at the other end, which reads the file itself: its statements are queued on
 * the one writing connection together with those of this process. The returned function is called when that process
 * has ended: its open transaction is rolled back, and the connection is free.
 */
export function offerWrites(link: ProcessLink, file: SqliteFile): () => void {
  const apply = applyThrough(link);
  const foreign = new ForeignWrites(file, apply);
  const unfollow = offerChanges(link, file.changeNotifier, apply);
  const offer = <Given extends unknown[]>(
    name: string,
    work: (...given: Given) => Promise<Written | undefined>,
  ): void =>
    link.offer(name, async (...given): Promise<Outcome> => {
      try {
        return { result: await work(...(given as Given)) };
      } catch (error) {
        return failureOf(error);
      }
    });
  offer(writes.run, (sql: string, parameters: readonly unknown[]) => foreign.run(sql, parameters));
  offer(writes.begin, (id: number) => foreign.begin(id));
  offer(writes.within, (id: number, sql: string, parameters: readonly unknown[]) =>
    foreign.within(id, sql, parameters),
  );
  offer(writes.end, (id: number, isCommitted: boolean) => foreign.end(id, isCommitted));
  return () => {
    unfollow();
    foreign.leave();
  };
}
