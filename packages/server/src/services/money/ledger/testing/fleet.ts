import { afterEach, describe } from 'vitest';
import { eachDialect, type TestDatabase } from '../../../../store/each-dialect.ts';
import type { Store } from '../../../../store/index.ts';
import type { Ledger } from '../ledger.ts';
import { openLedger } from './test-bed.ts';

type LoggedLedger = ReturnType<typeof openLedger>;

/** The ledgers of all processes on one database. */
export interface Fleet {
  store: Store;
  /** The process that serves the console, or the only process. */
  first: Ledger;
  /** The processes that serve calls: the workers, or the only one. */
  workers: readonly Ledger[];
  /** Log messages of all processes. */
  lines(): LoggedLedger['lines'];
  /** Makes everything requested from any of them durable. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** On a busy machine, a slow database is not an outage. */
const settings = { reserveWaitMs: 60_000, settleWaitMs: 60_000, releaseWaitMs: 60_000 };

/** Parts shared by `first` and `workers`, in the order in which they may end. */
const together = (
  { store, first, workers }: { store: Store; first: LoggedLedger; workers: readonly LoggedLedger[] },
  end: () => Promise<void>,
): Fleet => ({
  store,
  first,
  workers,
  lines: () => [...new Set([first, ...workers])].flatMap(({ lines }) => lines),
  async flush() {
    for (const ledger of [...workers, first]) await ledger.flush();
  },
  close: end,
});

async function openServerFleet({ open, openAgain }: TestDatabase, count: number): Promise<Fleet> {
  const store = await open();
  const first = openLedger(store, { node: 'first', settings });
  const workers: LoggedLedger[] = [];
  for (let n = 1; n <= count; n += 1)
    workers.push(openLedger(await openAgain(), { node: `first#w${n}`, settings }));
  return together({ store, first, workers }, async () => {
    for (const ledger of [...workers, first]) await ledger.close();
  });
}

async function openAlone({ open }: TestDatabase): Promise<Fleet> {
  const store = await open();
  const first = openLedger(store, { settings });
  return together({ store, first, workers: [first] }, () => first.close());
}

/**
 * All of them as one ledger: each request runs on one worker, like a caller's connection, and the first process moves
 * the money.
 */
export function asOne(fleet: Fleet): Ledger {
  const { first, workers } = fleet;
  let queued = 0;
  const carriers = new Map<string, Ledger>();
  const carrierOf = (requestId: string): Ledger => {
    const known = carriers.get(requestId) ?? workers[carriers.size % workers.length]!;
    carriers.set(requestId, known);
    return known;
  };
  return {
    ...first,
    reserve: (request) => carrierOf(request.requestId).reserve(request),
    extend: (requestId, ...more) => carrierOf(requestId).extend(requestId, ...more),
    endDeferral: (requestId) => carrierOf(requestId).endDeferral(requestId),
    mark: (requestId, ...marked) => carrierOf(requestId).mark(requestId, ...marked),
    settle: (settlement) => carrierOf(settlement.requestId).settle(settlement),
    release: (requestId) => carrierOf(requestId).release(requestId),
    whenReleased: (waiting, attempt) =>
      workers[(queued += 1) % workers.length]!.whenReleased(waiting, attempt),
    flush: () => fleet.flush(),
  };
}

/**
 * Runs the same tests on every database: one process on SQLite; on a server this number of workers beside the process
 * that serves the console. 0 means that process without workers. Each fleet is closed after its test.
 */
export function eachFleet(
  what: string,
  onServers: readonly number[],
  define: (open: () => Promise<Fleet>) => void,
): void {
  eachDialect(what, (database) => {
    const open = (count: number): Promise<Fleet> =>
      count === 0 ? openAlone(database) : openServerFleet(database, count);
    for (const count of database.kind === 'sqlite' ? [0] : onServers)
      describe(`with ${count} workers`, () => {
        let opened: Fleet | undefined;
        afterEach(async () => {
          await opened?.close();
          opened = undefined;
        });
        define(async () => (opened = await open(count)));
      });
  });
}
