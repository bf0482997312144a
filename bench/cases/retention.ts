import { setTimeout as sleep } from 'node:timers/promises';
import { createLog } from '../../packages/server/src/lib/log.ts';
import { createLedger, type RequestLedger } from '../../packages/server/src/services/money/ledger/index.ts';
import { deleteRows } from '../../packages/server/src/services/upkeep/logs/index.ts';
import { openStore } from '../../packages/server/src/store/index.ts';
import { openPayer } from '../parts/payers.ts';
import { type Payer, pair } from '../parts/pair.ts';

/** Wait of calls for hold and settlement together, and their number per second. */
export interface Waits {
  pairsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  worstMs: number;
}

/** Calls without, and beside, the deletion of old rows. */
export interface Retention {
  alone: Waits;
  beside: Waits;
  deleted: number;
  /** Duration of the deletion. */
  seconds: number;
}

const callers = 16;
/** Delay between two calls of a caller, so that the ledger is busy but not saturated. */
const pauseMs = 20;
const aloneMs = 20_000;

/** Makes calls until `until` settles. */
async function measureWaitsUntil(
  ledger: RequestLedger,
  payers: readonly Payer[],
  label: string,
  until: Promise<unknown>,
): Promise<Waits> {
  const times: number[] = [];
  let isOver = false;
  const over = until.finally(() => (isOver = true));
  const caller = async (number: number): Promise<void> => {
    for (let call = 0; !isOver; call += 1) {
      const startedAt = performance.now();
      const payer = payers[(call + number) % payers.length]!;
      await pair(ledger, payer, `${label}-${number}-${call}`, ({ durable }) => durable);
      times.push(performance.now() - startedAt);
      await sleep(pauseMs);
    }
  };
  const startedAt = performance.now();
  await Promise.all([over, ...Array.from({ length: callers }, (_, number) => caller(number))]);
  const seconds = (performance.now() - startedAt) / 1_000;
  const sorted = times.toSorted((a, b) => a - b);
  const share = (part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
  return {
    pairsPerSecond: times.length / seconds,
    p50Ms: share(0.5),
    p99Ms: share(0.99),
    worstMs: share(1),
  };
}

/** Deletes the oldest rows of the log for a maximum number of seconds, like retention, in the process that settles. */
export async function runRetention(
  url: string,
  { rows, mostSeconds }: { rows: number; mostSeconds: number },
): Promise<Retention> {
  const store = await openStore({ url });
  const ledger = createLedger({ store, log: createLog('warn'), clock: Date.now, node: 'bench' });
  const payers: Payer[] = [];
  for (let index = 0; index < 200; index += 1) payers.push(await openPayer(store, ledger, index));
  await measureWaitsUntil(ledger, payers, 'warm-up', sleep(2_000));
  const alone = await measureWaitsUntil(ledger, payers, 'alone', sleep(aloneMs));
  const startedAt = performance.now();
  const before = Math.floor(Date.now() / 1_000) - 3_600;
  const deletion = deleteRows({ db: store.db }, { before, rows, forMs: mostSeconds * 1_000 });
  const beside = await measureWaitsUntil(ledger, payers, 'beside', deletion);
  const deleted = await deletion;
  const seconds = (performance.now() - startedAt) / 1_000;
  await ledger.flush();
  await ledger.close();
  await store.close();
  return { alone, beside, deleted, seconds };
}
