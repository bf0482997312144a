import cluster, { type Worker } from 'node:cluster';
import { type Cache, offerCache } from '../../cache/index.ts';
import type { Sleep } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { ProcessLink } from '../../lib/processes/process-link.ts';
import type { Ledger } from '../../services/ledger/index.ts';
import type { Figures } from '../../services/metrics/index.ts';
import { overChannel } from './channel.ts';
import { asked, type Orders } from './orders.ts';

export interface PoolDeps {
  count: number;
  /** What a worker is told at each of its starts. */
  ordersOf: (index: number) => Orders;
  /** What all workers count together. */
  cache: Cache;
  ledger: Pick<Ledger, 'recoverDead'>;
  log: Log;
  sleep: Sleep;
  /** Called when the last worker that listened has died. */
  onNone: () => void;
  /** Longest time that workers get to end by themselves, in ms. */
  stopWithinMs: number;
}

/** A worker that ended sooner is started again later each time. */
const soundLifeMs = 10_000;
const firstPauseMs = 250;
const longestPauseMs = 30_000;

interface Life {
  worker: Worker;
  link: ProcessLink;
  ended: Promise<string>;
}

/** The workers of this process: started, replaced when they die, ended together. */
export class WorkerPool {
  readonly #deps: PoolDeps;
  readonly #lives = new Map<number, Life>();
  readonly #keepers: Promise<void>[] = [];
  readonly #stop = new AbortController();
  #port = 0;

  constructor(deps: PoolDeps) {
    this.#deps = deps;
  }

  /**
   * Starts the first worker, then all others at once. Answers the port that they listen on when all of them do; rejects
   * with what the first one says where it cannot start.
   */
  async start(): Promise<number> {
    const first = await this.#begin(1);
    this.#keepers.push(this.#keep(1, first));
    const others = Array.from({ length: this.#deps.count - 1 }, (_, i) => i + 2);
    await Promise.all(
      others.map(async (index) => {
        const life = await this.#tryToBegin(index);
        this.#keepers.push(this.#keep(index, life));
      }),
    );
    return this.#port;
  }

  /** What each worker counted; one that dies meanwhile is left out. */
  async figures(): Promise<Figures[]> {
    const answers = await Promise.allSettled(
      [...this.#lives.values()].map(({ link }) => link.ask(asked.figures)),
    );
    return answers.flatMap((each) =>
      each.status === 'fulfilled' && each.value ? [each.value as Figures] : [],
    );
  }

  /** Tells all workers to stop; `onWaiting` hears how many calls they wait for. Resolves when they have ended. */
  async stop(onWaiting: (calls: number) => void): Promise<void> {
    this.#stop.abort();
    const lives = [...this.#lives.values()];
    const waiting = await Promise.allSettled(lives.map(({ link }) => link.ask(asked.stop)));
    onWaiting(waiting.reduce((sum, each) => sum + (each.status === 'fulfilled' ? Number(each.value) : 0), 0));
    const late = setTimeout(() => {
      for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGKILL');
    }, this.#deps.stopWithinMs);
    await Promise.all(this.#keepers);
    clearTimeout(late);
  }

  /** Forks a worker, and resolves when it listens. */
  async #begin(index: number): Promise<Life> {
    const worker = cluster.fork();
    const link = new ProcessLink(overChannel(worker.process));
    const unshare = offerCache(link, this.#deps.cache);
    const ended = new Promise<string>((resolve) => {
      worker.once('exit', (code: number | null, signal: string | null) => {
        link.cut(new Error(`worker ${index} ended (${signal ?? code})`));
        void unshare();
        resolve(signal ?? String(code));
      });
    });
    try {
      this.#port = Number(await link.ask(asked.begin, this.#deps.ordersOf(index)));
    } catch (error) {
      worker.process.kill('SIGKILL');
      await ended;
      throw error;
    }
    const life = { worker, link, ended };
    // It came too late to be told with the others.
    if (this.#stop.signal.aborted) link.ask(asked.stop).catch(() => undefined);
    this.#lives.set(index, life);
    this.#deps.log.info({ worker: index, pid: worker.process.pid }, 'a worker listens');
    return life;
  }

  async #tryToBegin(index: number): Promise<Life | undefined> {
    try {
      return await this.#begin(index);
    } catch (error) {
      this.#deps.log.error({ worker: index, err: error }, 'a worker could not start');
      return undefined;
    }
  }

  /** Replaces a worker whenever it ends, until the pool stops. */
  async #keep(index: number, first: Life | undefined): Promise<void> {
    let life = first;
    let pauseMs = 0;
    for (;;) {
      const since = performance.now();
      if (life) await this.#outlive(index, life);
      if (this.#stop.signal.aborted) return;
      const isSound = life !== undefined && performance.now() - since >= soundLifeMs;
      pauseMs = isSound ? 0 : Math.min(Math.max(firstPauseMs, pauseMs * 2), longestPauseMs);
      await this.#deps.sleep(pauseMs, this.#stop.signal).catch(() => undefined);
      if (this.#stop.signal.aborted) return;
      life = await this.#tryToBegin(index);
    }
  }

  /** Waits for the end of a worker; what it held is ended before another one of its name may start. */
  async #outlive(index: number, { ended }: Life): Promise<void> {
    const { log, ledger, ordersOf } = this.#deps;
    const how = await ended;
    this.#lives.delete(index);
    if (this.#stop.signal.aborted && how === '0') return;
    log.error({ worker: index, how }, 'a worker ended; it is replaced');
    if (this.#lives.size === 0 && !this.#stop.signal.aborted) this.#deps.onNone();
    try {
      const recovery = await ledger.recoverDead(ordersOf(index).node);
      if (recovery.settled + recovery.released > 0)
        log.warn({ recovery }, 'ended holds of a worker that died');
    } catch (error) {
      // The next worker of this name does it before it listens.
      log.error({ worker: index, err: error }, 'the holds of a dead worker could not be ended yet');
    }
  }
}
