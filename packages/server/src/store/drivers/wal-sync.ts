import { close, fdatasync, open } from 'node:fs';
import { promisify } from 'node:util';

const openFile = promisify(open);
const syncFile = promisify(fdatasync);
const closeFile = promisify(close);

/**
 * Makes commits durable without blocking the event loop. A commit with synchronous=NORMAL has written its frames to
 * the WAL file but not synced them. One fdatasync of that file, the only additional step of FULL, covers every commit
 * made before it started. Closing the descriptor is harmless: SQLite's locks are not on this file.
 */
export class WalSync {
  private readonly path: string | undefined;
  private file: Promise<number> | undefined;
  private running: Promise<void> | undefined;
  private next: Promise<void> | undefined;

  /** `databasePath` as SQLite got it; nothing needs syncing for ':memory:'. */
  constructor(databasePath: string) {
    this.path = databasePath === ':memory:' ? undefined : `${databasePath}-wal`;
  }

  /**
   * Resolves when everything committed before the call is on disk. Rejects if the disk reports an error; the content
   * of the disk is then unknown, so a retry proves nothing: stop and restart from the disk.
   */
  durable(): Promise<void> {
    if (this.path === undefined) return Promise.resolve();
    if (!this.running) return this.start(this.path);
    const path = this.path;
    // A running sync may have started before our pages were written: wait for one that starts afterwards.
    this.next ??= this.running.then(() => {
      this.next = undefined;
      return this.running ?? this.start(path);
    });
    return this.next;
  }

  private start(path: string): Promise<void> {
    // Opened for writing too: Windows does not sync a file that was opened for reading.
    this.file ??= openFile(path, 'r+');
    const running = this.file.then(syncFile).finally(() => {
      if (this.running === running) this.running = undefined;
    });
    this.running = running;
    return running;
  }

  /** Closes the file. */
  async close(): Promise<void> {
    const file = await this.file?.catch(() => undefined);
    await this.running?.catch(() => undefined);
    this.file = undefined;
    if (file !== undefined) await closeFile(file);
  }
}
