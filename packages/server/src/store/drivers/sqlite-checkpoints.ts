import { Worker } from 'node:worker_threads';

export type CheckpointMode = 'passive' | 'restart';

export type CheckpointAnswer = { pages: number } | { message: string };

/** What the checkpoints need of the file. */
export interface Writer {
  readonly path: string;
  /** Runs `work` while nobody in this process writes. */
  still<T>(work: () => Promise<T>): Promise<T>;
}

export interface CheckpointSettings {
  /** Commits after which the WAL is moved into the file. */
  everyCommits: number;
  /** From so many pages on the WAL must be begun anew, for which the writer holds still for a moment. */
  fullPages: number;
  /** The writer holds still for so long at most. */
  stillMs: number;
}

export const checkpointSettings: CheckpointSettings = { everyCommits: 200, fullPages: 4000, stillMs: 1000 };

/**
 * Moves the pages of the WAL into the database's file in a thread of its own. On the event loop, where SQLite does it
 * after a commit, the sync of the whole file holds up every request. A pass goes on beside the writer; but the WAL is
 * only begun anew when a pass has moved all of it before the next commit. Under constant load that never happens by
 * itself, so a last short pass is made while commits wait, asleep. What fails here is reported and nothing else: SQLite
 * itself checkpoints on the writer's connection when the WAL has grown far beyond this.
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

  /** Moves the WAL once, all of it if it is full. */
  async run(): Promise<void> {
    if ((await this.pass()) < this.settings.fullPages) return;
    // What came meanwhile, so that little is left for the pass that others wait for.
    await this.pass();
    await this.writer.still(() => this.soon(this.pass('restart')));
  }

  /** Waits for a pass, but lets the writer go on when it takes too long: that does no harm to either. */
  private async soon(pass: Promise<unknown>): Promise<void> {
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, this.settings.stillMs);
    await Promise.race([pass, late.promise]).finally(() => clearTimeout(timer));
  }

  /** Answers how many pages the WAL had when it began. */
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

  /** The next pass begins with a new thread. */
  private gone(worker: Worker, message: string): void {
    if (this.worker !== worker) return;
    this.worker = undefined;
    this.answered?.({ message });
  }

  /** Ends the thread. A pass that runs is finished first, so that its connection lets go of the file in order. */
  async close(): Promise<void> {
    this.closed = true;
    await this.running;
    await this.worker?.terminate();
  }
}
