import { randomBytes } from 'node:crypto';
import { seconds, systemClock } from '../../lib/clock.ts';
import { createLog } from '../../lib/log.ts';
import { createSealer, type Sealer } from '../../lib/seal.ts';
import { createLedger } from '../../services/money/ledger/index.ts';
import {
  type Db,
  type ForeignDatabase,
  migrate,
  openStore,
  readForeign,
  type Store,
} from '../../store/index.ts';
import { countsDollars, detectSource, type Source } from './kit/detect.ts';
import { type Ids, idsOf } from './kit/ids.ts';
import { moveLogs } from './logs.ts';
import { moveAll } from './move.ts';
import { unitOf } from './prices/old-prices.ts';
import { fingerprintOf, readSource, type SourceData, type SourceTerms } from './read-source.ts';
import { counting, newReport, type Report } from './kit/report.ts';
import { inspectTarget } from './target.ts';

/** Options of the import. */
export interface ImportOrder {
  /** The source: an address in the format of SQL_DSN, or an SQLite file. */
  from: string;
  /** The database of its log, if it is a separate one. */
  logsFrom: string;
  /** Days of its log; 0 for none. */
  logDays: number;
  /** What the source does not say itself. */
  terms: Omit<SourceTerms, 'now'>;
  dryRun: boolean;
  /** Reads a source in use. */
  isLive: boolean;
  /** Called repeatedly with the progress of long work. */
  onProgress(words: string): void;
}

/** The target. */
export interface ImportTarget {
  url: string;
  dataDir: string;
  hashOnly: boolean;
  version: string;
  /** Throws while Tollgate runs on the same SQLite file. */
  stand(): void;
  /** Reads the existing database, if there is one, without changing it: for a dry run. */
  look(work: (db: Db) => Promise<unknown>): Promise<void>;
  /** Seals for the target's master key; called when something is to be written. */
  openSealer(store: Store): Promise<Sealer>;
}

/**
 * Imports everything of another gateway. All but the log is one transaction, which commits only if every sum is
 * equal to the unit; the log follows in steps. A repeated import writes nothing. A dry run writes only to memory.
 * Throws ImportRefused, and errors about the source for the operator.
 */
export function runImport(order: ImportOrder, target: ImportTarget): Promise<Report> {
  return readForeign(order.from, async (foreign) => {
    const source = await detectSource(foreign);
    if (order.logDays > 0 && countsDollars(source))
      throw new Error(`the log of ${source.program} is not taken over: leave out --logs`);
    await refuseInUse(foreign, order);
    const data = await readSource(foreign, source, { ...order.terms, now: seconds(systemClock) });
    const fingerprint = fingerprintOf(data);
    if (order.dryRun) await target.look((db) => inspectTarget(db, source, fingerprint));
    const store = await openTarget(order, target);
    try {
      const { report, ids } = await moveInto(store, {
        order,
        target,
        source,
        data,
        fingerprint,
        database: foreign.kind,
      });
      if (order.logDays > 0) await moveLog(foreign, store, { order, source, report, ids });
      return report;
    } finally {
      await store.close();
    }
  });
}

async function refuseInUse(foreign: ForeignDatabase, { isLive }: ImportOrder): Promise<void> {
  if (!isLive && (await foreign.isInUse()))
    throw new Error(
      'somebody uses the database of the source: stop the old program first, because balances that it still holds in memory would be missing (--live reads it all the same)',
    );
}

/**
 * In memory for a dry run, otherwise the existing database. One transaction has the whole import, so timeouts are
 * long.
 */
async function openTarget({ dryRun }: ImportOrder, target: ImportTarget): Promise<Store> {
  if (!dryRun) target.stand();
  const { url, dataDir } = target;
  const limits = { connectTimeoutMs: 10_000, statementTimeoutMs: 600_000, idleTransactionMs: 600_000 };
  const store = await openStore({ url: dryRun ? 'sqlite::memory:' : url, dataDir, ...limits });
  await migrate(store);
  return store;
}

interface Moving {
  order: ImportOrder;
  target: ImportTarget;
  source: Source;
  data: SourceData;
  fingerprint: string;
  database: string;
}

async function moveInto(store: Store, moving: Moving): Promise<{ report: Report; ids: Ids }> {
  const { order, target, source, data, fingerprint, database } = moving;
  // A transaction that the server aborted is repeated with a new report.
  const begin = (): Report => ({
    ...newReport({ ...source, database }, order.dryRun),
    quotaPerUnit: unitOf(data.options),
  });
  const { taken, isDone } = await inspectTarget(store.db, source, fingerprint);
  if (isDone) return { report: { ...begin(), repeated: true }, ids: idsOf(taken, data.users) };
  const sealer = order.dryRun ? createSealer(randomBytes(32)) : await target.openSealer(store);
  const { hashOnly, version } = target;
  const log = createLog('silent');
  const move = { source, data, fingerprint, taken, sealer, hashOnly, version, log, clock: systemClock };
  const ledger = createLedger({ store, log, clock: systemClock, node: `import:${process.pid}` });
  try {
    return await ledger.change(async (money) => {
      const report = begin();
      return { ids: await moveAll(money, { ...move, report }), report };
    });
  } finally {
    await ledger.close();
  }
}

interface LogMoving {
  order: ImportOrder;
  source: Source;
  report: Report;
  ids: Ids;
}

async function moveLog(foreign: ForeignDatabase, store: Store, moving: LogMoving): Promise<void> {
  const { order, source, report, ids } = moving;
  const since = seconds(systemClock) - order.logDays * 86_400;
  const onProgress = (rows: number): void => order.onProgress(`log: ${rows} rows written`);
  const move = (from: ForeignDatabase) => moveLogs(from, { db: store.db, source, ids, since, onProgress });
  const written = await (order.logsFrom === '' ? move(foreign) : readForeign(order.logsFrom, move));
  counting(report, `rows of the log (${order.logDays} days)`, written).wrote(written);
}
