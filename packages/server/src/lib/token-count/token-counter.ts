import { Worker } from 'node:worker_threads';

/** The two vocabularies of OpenAI's models. */
export type Encoding = 'o200k' | 'cl100k';

export interface CountTexts {
  /**
   * Tokens of several texts, each counted separately. The first count starts a thread, which loads the vocabulary
   * (0.3 s, about 60 MB). Rejects when the counter is closed, or if the thread dies of the same texts twice.
   */
  count(texts: readonly string[], encoding: Encoding): Promise<number>;
}

export interface TokenCounter extends CountTexts {
  /** Ends the thread; unfinished counts are rejected. */
  close(): Promise<void>;
}

/** A request to the thread; a message has those of one turn of the event loop. */
export interface CountRequest {
  id: number;
  texts: readonly string[];
  encoding: Encoding;
}

/** An answer of the thread; a message has those of one turn. */
export type CountAnswer = { id: number } & ({ tokens: number } | { message: string });

interface Job extends CountRequest {
  tries: number;
  resolve: (tokens: number) => void;
  reject: (error: Error) => void;
}

/** A text that crashes the thread must not do so repeatedly. */
const maxTries = 2;

/**
 * Creates a counter; the thread starts with its first use. Only the thread loads vocabularies and counts, because
 * both take long and would block the event loop.
 */
export const createTokenCounter = (): TokenCounter => new ThreadCounter();

class ThreadCounter implements TokenCounter {
  private readonly jobs = new Map<number, Job>();
  /** Jobs of this turn of the event loop: a message costs more than the count of a short text. */
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
    // An idle thread must not keep the process alive; a counting one must.
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

  /** Unanswered requests are sent again to a new thread, once. */
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
