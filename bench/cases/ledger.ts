import { join } from 'node:path';
import { createLog } from '../../packages/server/src/lib/log.ts';
import {
  checkBooks,
  createLedger,
  type RequestLedger,
} from '../../packages/server/src/services/money/ledger/index.ts';
import { openPayer } from '../parts/payers.ts';
import { type Payer, pair } from '../parts/pair.ts';
import { migrate, openStore } from '../../packages/server/src/store/index.ts';

/** Pairs of hold and settlement on the ledger alone, without HTTP. */
export interface LedgerResult {
  label: string;
  callers: number;
  pairsPerSecond: number;
  /** From the start of the hold until the settlement is durable. */
  p50Ms: number;
  p99Ms: number;
}

interface Run {
  label: string;
  callers: number;
  pairs: number;
}

/** `callers` loops over the payers until `pairs` pairs are done. */
async function measure(ledger: RequestLedger, payers: readonly Payer[], run: Run): Promise<LedgerResult> {
  const times: number[] = [];
  let begun = 0;
  const caller = async (): Promise<void> => {
    while (begun < run.pairs) {
      begun += 1;
      const startedAt = performance.now();
      const payer = payers[begun % payers.length]!;
      await pair(ledger, payer, `${run.label}-${run.callers}-${begun}`, ({ durable }) => durable);
      times.push(performance.now() - startedAt);
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: run.callers }, caller));
  const seconds = (performance.now() - startedAt) / 1_000;
  const sorted = times.toSorted((a, b) => a - b);
  const share = (part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
  return {
    label: run.label,
    callers: run.callers,
    pairsPerSecond: run.pairs / seconds,
    p50Ms: share(0.5),
    p99Ms: share(0.99),
  };
}

/** Hold and settlement on a SQLite file in `folder`, one payer and many; ends with a check of the books. */
export async function runLedger(folder: string): Promise<LedgerResult[]> {
  const store = await openStore({ url: `sqlite:${join(folder, 'ledger.db')}` });
  await migrate(store);
  const ledger = createLedger({ store, log: createLog('warn'), clock: Date.now, node: 'bench' });
  const payers: Payer[] = [];
  for (let index = 0; index < 200; index += 1) payers.push(await openPayer(store, ledger, index));
  const results: LedgerResult[] = [];
  await measure(ledger, payers, { label: 'warm-up', callers: 64, pairs: 10_000 });
  for (const callers of [1, 32, 256, 1_000]) {
    const pairs = callers === 1 ? 500 : 30_000;
    results.push(await measure(ledger, payers.slice(0, 1), { label: 'one payer', callers, pairs }));
    results.push(await measure(ledger, payers, { label: '200 payers', callers, pairs }));
  }
  await ledger.flush();
  const findings = await checkBooks(store.db, { atRest: true });
  await ledger.close();
  await store.close();
  if (findings.length > 0) throw new Error(`the books do not balance: ${JSON.stringify(findings)}`);
  return results;
}
