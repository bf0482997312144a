import { Worker } from 'node:worker_threads';
import { close, fdatasync, open } from 'node:fs';
import { promisify } from 'node:util';

export type CheckpointMode = 'passive' | 'restart';

export type CheckpointAnswer = { pages: number } | { message: string };

/** The file's operations that checkpoints use. */
export interface Writer {
  readonly path: string;
  /** Runs `work` while no other write of this process runs. */
  still<T>(work: () => Promise<T>): Promise<T>;
}

export interface CheckpointSettings {
  /** Commits after which the WAL is copied into the database file. */
  everyCommits: number;
  /** Above this many pages the WAL must be restarted, for which the writer pauses for a moment. */
  fullPages: number;
  /** Longest pause of the writer. */
  stillMs: number;
}

export const checkpointSettings: CheckpointSettings = { everyCommits: 200, fullPages: 4000, stillMs: 1000 };

/**
 * Checkpoints: copies the pages of the WAL into the database file in a separate thread. On the event loop, where
 * SQLite does it after a commit, the sync of the whole file blocks every request. A checkpoint runs beside the
 * writer; but the WAL is only restarted if a checkpoint has copied all of it before the next commit. Under constant
 * load that never happens, so a last short checkpoint runs while commits wait. Errors are only reported: SQLite
 * itself makes a checkpoint on the writer's connection when the WAL has grown far beyond this.
 */
export class SqliteCheckpoints {
  private readonly writer: Writer;
  private readonly report: (error: Error) => void;
  private readonly settings: CheckpointSettings;
  private worker: Worker | undefined;
  private answered: ((answer: CheckpointAnswer) => void) | undefined;
  private commits = 0;
  private running: Promise<void> | undefined;
  private closed = false;

  constructor(writer: Writer, report: (error: Error) => void, settings = checkpointSettings) {
    this.writer = writer;
    this.report = report;
    this.settings = settings;
  }

  /** Something was committed. */
  committed(): void {
    this.commits += 1;
    if (this.commits < this.settings.everyCommits || this.running || this.closed) return;
    this.commits = 0;
    this.running = this.run()
      .catch((error: unknown) => this.report(error instanceof Error ? error : new Error(String(error))))
      .finally(() => (this.running = undefined));
  }

  /** Runs one checkpoint, of the whole WAL if it is large. */
  async run(): Promise<void> {
    if ((await this.pass()) < this.settings.fullPages) return;
    // First the new pages, so that little is left for the checkpoint during which commits wait.
    await this.pass();
    await this.writer.still(() => this.soon(this.pass('restart')));
  }

  /** Waits for a checkpoint, but lets the writer continue if it takes too long, which does no harm. */
  private async soon(pass: Promise<unknown>): Promise<void> {
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, this.settings.stillMs);
    await Promise.race([pass, late.promise]).finally(() => clearTimeout(timer));
  }

  /** Returns the number of pages in the WAL at the start. */
  private async pass(mode: CheckpointMode = 'passive'): Promise<number> {
    if (this.closed) throw new Error('the store is closed');
    const worker = (this.worker ??= this.start());
    const answer = await new Promise<CheckpointAnswer>((resolve) => {
      this.answered = resolve;
      worker.postMessage(mode);
    });
    if ('message' in answer) throw new Error(`the WAL could not be moved: ${answer.message}`);
    return answer.pages;
  }

  private start(): Worker {
    const worker = new Worker(new URL('./sqlite-checkpoint-worker.ts', import.meta.url), {
      workerData: { path: this.writer.path },
    });
    // It must not keep the process alive.
    worker.unref();
    worker.on('message', (answer: CheckpointAnswer) => this.answered?.(answer));
    worker.on('error', (error: Error) => this.gone(worker, error.message));
    worker.on('exit', () => this.gone(worker, 'its thread ended'));
    return worker;
  }

  /** The next checkpoint starts a new thread. */
  private gone(worker: Worker, message: string): void {
    if (this.worker !== worker) return;
    this.worker = undefined;
    this.answered?.({ message });
  }

  /** Ends the thread, after a running checkpoint, so that its connection closes properly. */
  async close(): Promise<void> {
    this.closed = true;
    await this.running;
    await this.worker?.terminate();
  }
}

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

  /** `databasePath` in the form given to SQLite; ':memory:' needs no sync. */
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
