import { Worker } from 'node:worker_threads';

/** The two vocabularies of OpenAI's models. */
export type Encoding = 'o200k' | 'cl100k';

export interface CountTexts {
  /**
   * Tokens of texts together, each counted by itself. The first count starts a thread and loads the vocabulary in it (0.3 s,
   * about 60 MB). Rejects when the counter is closed, or when the thread dies of the same texts twice.
   */
  count(texts: readonly string[], encoding: Encoding): Promise<number>;
}

export interface TokenCounter extends CountTexts {
  /** Ends the thread; what was not counted by then is rejected. */
  close(): Promise<void>;
}

/** What the thread is asked; a message holds those of one turn of the event loop. */
export interface CountRequest {
  id: number;
  texts: readonly string[];
  encoding: Encoding;
}

/** What it answers; a message holds those that became known in one turn. */
export type CountAnswer = { id: number } & ({ tokens: number } | { message: string });

interface Job extends CountRequest {
  tries: number;
  resolve: (tokens: number) => void;
  reject: (error: Error) => void;
}

/** A text that kills the thread must not do so for ever. */
const maxTries = 2;

/**
 * Opens a counter; no thread is started before it is used. Vocabularies are loaded and texts counted in the thread alone:
 * both take long, and in the thread of the event loop every caller would wait.
 */
export const createTokenCounter = (): TokenCounter => new ThreadCounter();

class ThreadCounter implements TokenCounter {
  private readonly jobs = new Map<number, Job>();
  /** Jobs of this turn of the event loop: a message costs more than a short text's count. */
  private unsent: Job[] = [];
  private worker: Worker | undefined;
  private lastId = 0;
  private isClosed = false;

  count(texts: readonly string[], encoding: Encoding): Promise<number> {
    const wanted = texts.filter((text) => text !== '');
    if (wanted.length === 0) return Promise.resolve(0);
    if (this.isClosed) return Promise.reject(closed());
    return new Promise((resolve, reject) => {
      const id = (this.lastId += 1);
      const job = { id, texts: wanted, encoding, tries: 0, resolve, reject };
      this.jobs.set(id, job);
      this.send(job);
    });
  }

  private send(job: Job): void {
    this.worker ??= this.start();
    // An idle thread must not keep the process alive, one that counts must.
    this.worker.ref();
    if (this.unsent.push(job) === 1) setImmediate(() => this.post());
  }

  private post(): void {
    const jobs = this.unsent;
    this.unsent = [];
    const requests = jobs.map(({ id, texts, encoding }): CountRequest => ({ id, texts, encoding }));
    for (const job of jobs) job.tries += 1;
    if (requests.length > 0) this.worker?.postMessage(requests);
  }

  private start(): Worker {
    const worker = new Worker(new URL('./token-count-worker.ts', import.meta.url), {
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    });
    worker.on('message', (answers: CountAnswer[]) => answers.forEach((answer) => this.finish(answer)));
    worker.on('error', (error: Error) => this.died(worker, error));
    worker.on('exit', () => this.died(worker, new Error('the thread that counts tokens has ended')));
    return worker;
  }

  private finish(answer: CountAnswer): void {
    const job = this.jobs.get(answer.id);
    this.jobs.delete(answer.id);
    if (this.jobs.size === 0) this.worker?.unref();
    if ('tokens' in answer) job?.resolve(answer.tokens);
    else job?.reject(new Error(answer.message));
  }

  /** What it had not answered is asked again in a new thread, once. */
  private died(worker: Worker, error: Error): void {
    if (this.worker !== worker) return;
    this.worker = undefined;
    this.unsent = [];
    for (const job of this.jobs.values()) {
      if (job.tries < maxTries) this.send(job);
      else {
        this.jobs.delete(job.id);
        job.reject(error);
      }
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const { worker } = this;
    this.worker = undefined;
    for (const job of this.jobs.values()) job.reject(closed());
    this.jobs.clear();
    this.unsent = [];
    await worker?.terminate();
  }
}

const closed = (): Error => new Error('the token counter is closed');
