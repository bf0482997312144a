import cluster from 'node:cluster';
import type { Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Sleep } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { ProcessLink } from '../../lib/processes/process-link.ts';
import type { Ledger } from '../../services/money/ledger/index.ts';
import type { Figures } from '../../services/site/metrics/index.ts';
import { overChannel } from './channel.ts';
import { asked, type Orders } from './orders.ts';
import { type Cache, offerCache } from '../../cache/index.ts';
import type { Store } from '../../store/index.ts';

interface PoolDeps extends SharedParts {
  count: number;
  /** Ends the holds of dead workers. */
  ledger: Pick<Ledger, 'recoverDead'>;
  /** Data for a worker at each start. */
  ordersOf: (index: number) => Orders;
  log: Log;
  sleep: Sleep;
  /** Called when the last listening worker has died. */
  onNone: () => void;
  /** Longest time for workers to end by themselves, in ms. */
  stopWithinMs: number;
}

/** If a worker ended sooner than this, the pause before its restart grows. */
const soundLifeMs = 10_000;
const firstPauseMs = 250;
const longestPauseMs = 30_000;
/** Timeout for the metrics of a worker, so that a frozen one does not delay those of all. */
const figuresWithinMs = 1_000;

interface Life {
  worker: Worker;
  link: ProcessLink;
  ended: Promise<string>;
}

/** The workers of this process: started, replaced when they die, ended together. */
export class WorkerPool {
  private readonly deps: PoolDeps;
  private readonly lives = new Map<number, Life>();
  private readonly keepers: Promise<void>[] = [];
  private readonly stopping = new AbortController();
  private port = 0;

  constructor(deps: PoolDeps) {
    this.deps = deps;
  }

  /**
   * Starts the first worker, then all others at once. Returns the port when all of them listen; rejects with the
   * error of the first one if it cannot start.
   */
  async start(): Promise<number> {
    const first = await this.begin(1);
    this.keepers.push(this.keep(1, first));
    const others = Array.from({ length: this.deps.count - 1 }, (_, i) => i + 2);
    await Promise.all(
      others.map(async (index) => {
        const life = await this.tryToBegin(index);
        this.keepers.push(this.keep(index, life));
      }),
    );
    return this.port;
  }

  /** The metrics of each worker, except one that dies meanwhile or does not respond within a second. */
  async figures(): Promise<Figures[]> {
    const answers = await Promise.allSettled(
      [...this.lives.values()].map(({ link }) => link.askWithin(figuresWithinMs, asked.figures)),
    );
    return answers.flatMap((each) =>
      each.status === 'fulfilled' && each.value ? [each.value as Figures] : [],
    );
  }

  /** Asks all workers to stop; `onWaiting` gets the number of calls they wait for. Resolves when they have ended. */
  async stop(onWaiting: (calls: number) => void): Promise<void> {
    this.stopping.abort();
    const lives = [...this.lives.values()];
    // The time counts from now: a frozen worker does not receive the message.
    const late = setTimeout(() => {
      for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGKILL');
    }, this.deps.stopWithinMs);
    const waiting = await Promise.allSettled(lives.map(({ link }) => link.ask(asked.stop)));
    onWaiting(waiting.reduce((sum, each) => sum + (each.status === 'fulfilled' ? Number(each.value) : 0), 0));
    await Promise.all(this.keepers);
    clearTimeout(late);
  }

  /** Forks a worker, and resolves when it listens. */
  private async begin(index: number): Promise<Life> {
    const orders = this.deps.ordersOf(index);
    const worker = cluster.fork();
    const link = new ProcessLink(overChannel(worker.process));
    const leave = serveWorker(link, this.deps);
    const ended = this.watchEnd(index, worker, link, leave);
    try {
      this.port = Number(await link.ask(asked.begin, orders));
    } catch (error) {
      worker.process.kill('SIGKILL');
      await ended;
      // It may have listened already.
      await this.endHolds(index);
      throw error;
    }
    const life = { worker, link, ended };
    // It started too late to get the message with the other workers.
    if (this.stopping.signal.aborted) link.ask(asked.stop).catch(() => undefined);
    this.lives.set(index, life);
    this.deps.log.info({ worker: index, pid: worker.process.pid }, 'a worker listens');
    return life;
  }

  /** Resolves with the exit of a worker, when all its messages have been processed. */
  private async watchEnd(
    index: number,
    worker: Worker,
    link: ProcessLink,
    leave: () => void,
  ): Promise<string> {
    const exited = once(worker, 'exit') as Promise<[code: number | null, signal: string | null]>;
    // Its last messages may arrive after its end.
    const heard = once(worker.process, 'disconnect');
    const [code, signal] = await exited;
    await heard;
    link.cut(new Error(`worker ${index} ended (${signal ?? code})`));
    leave();
    return signal ?? String(code);
  }

  private async tryToBegin(index: number): Promise<Life | undefined> {
    try {
      return await this.begin(index);
    } catch (error) {
      this.deps.log.error({ worker: index, err: error }, 'a worker could not start');
      return undefined;
    }
  }

  /** Replaces a worker whenever it ends, until the pool stops. */
  private async keep(index: number, first: Life | undefined): Promise<void> {
    let life = first;
    let pauseMs = 0;
    for (;;) {
      const since = performance.now();
      if (life) await this.outlive(index, life);
      if (this.stopping.signal.aborted) return;
      const isSound = life !== undefined && performance.now() - since >= soundLifeMs;
      pauseMs = isSound ? 0 : Math.min(Math.max(firstPauseMs, pauseMs * 2), longestPauseMs);
      await this.deps.sleep(pauseMs, this.stopping.signal).catch(() => undefined);
      if (this.stopping.signal.aborted) return;
      life = await this.tryToBegin(index);
    }
  }

  /** Waits for the end of a worker; its holds are ended before another one of its name may start. */
  private async outlive(index: number, { ended }: Life): Promise<void> {
    const { log } = this.deps;
    const how = await ended;
    this.lives.delete(index);
    if (this.stopping.signal.aborted && how === '0') return;
    log.error({ worker: index, how }, 'a worker ended; it is replaced');
    if (this.lives.size === 0 && !this.stopping.signal.aborted) this.deps.onNone();
    await this.endHolds(index);
  }

  /** If this fails, the next worker of this name does it before it listens. */
  private async endHolds(index: number): Promise<void> {
    const { log, ledger, ordersOf } = this.deps;
    try {
      const recovery = await ledger.recoverDead(ordersOf(index).node);
      if (recovery.settled + recovery.released > 0)
        log.warn({ recovery }, 'ended holds of a worker that died');
    } catch (error) {
      log.error({ worker: index, err: error }, 'the holds of a dead worker could not be ended yet');
    }
  }
}

/** Services of the first process for workers. */
interface SharedParts {
  /** Counters of all processes. */
  cache: Cache;
  store: Pick<Store, 'announce'>;
}

/** Shares counters with one run of a worker and announces changes to it. The returned function is called when it has ended. */
export function serveWorker(link: ProcessLink, { cache, store }: SharedParts): () => void {
  const unshare = offerCache(link, cache);
  const mute = store.announce?.(link);
  return () => {
    void unshare();
    mute?.();
  };
}
