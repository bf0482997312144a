import { close, fdatasync, open } from 'node:fs';
import { promisify } from 'node:util';

const openFile = promisify(open);
const syncFile = promisify(fdatasync);
const closeFile = promisify(close);

/**
 * Makes commits durable without blocking the event loop. A commit with synchronous=NORMAL has written its frames to
 * the WAL file but not synced them; one fdatasync of that file, which is all that FULL would do more, covers every
 * commit made before it began. Closing the descriptor is harmless: SQLite's locks are not on this file.
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
   * Resolves when all that was committed before the call is on disk. Rejects when the disk cannot say so; what it
   * then holds is unknown, so trying again proves nothing: stop and start from disk.
   */
  durable(): Promise<void> {
    if (this.path === undefined) return Promise.resolve();
    if (!this.running) return this.start(this.path);
    const path = this.path;
    // A sync that runs already may have passed our pages by: wait for one that begins after it.
    this.next ??= this.running.then(() => {
      this.next = undefined;
      return this.running ?? this.start(path);
    });
    return this.next;
  }

  private start(path: string): Promise<void> {
    // Opened for writing too: Windows syncs no file that was opened to be read.
    this.file ??= openFile(path, 'r+');
    const running = this.file.then(syncFile).finally(() => {
      if (this.running === running) this.running = undefined;
    });
    this.running = running;
    return running;
  }

  /** Lets go of the file. */
  async close(): Promise<void> {
    const file = await this.file?.catch(() => undefined);
    await this.running?.catch(() => undefined);
    this.file = undefined;
    if (file !== undefined) await closeFile(file);
  }
}
