// Holds and settles through the link to the process that writes, as a worker on SQLite does, and does nothing else. A child of
// the bench, which forks it.
import { setTimeout as sleep } from 'node:timers/promises';
import { overChannel } from '../../packages/server/src/boot/workers/channel.ts';
import { createLog } from '../../packages/server/src/lib/log.ts';
import { ProcessLink } from '../../packages/server/src/lib/processes/process-link.ts';
import { type Ledger, loadLinkedLedger } from '../../packages/server/src/services/money/ledger/index.ts';
import { openStore } from '../../packages/server/src/store/index.ts';
import { type Payer, pair } from './pair.ts';

/** What the bench asks of it. */
export interface LinkRun {
  /** Of the database. */
  url: string;
  node: string;
  payer: Payer;
  callers: number;
  pairs: number;
}

const link = new ProcessLink(overChannel(process));
let ledger: Ledger | undefined;
let serial = 0;

async function open({ url, node }: LinkRun): Promise<Ledger> {
  const { createLinkedLedger } = await loadLinkedLedger();
  const store = await openStore({ url, first: link });
  return createLinkedLedger(link, { store, log: createLog('warn'), clock: Date.now, node });
}

link.offer('run', async (given) => {
  const run = given as LinkRun;
  const books = (ledger ??= await open(run));
  let begun = 0;
  const caller = async (): Promise<void> => {
    while (begun < run.pairs) {
      begun += 1;
      // An upstream that answers at once.
      await pair(books, run.payer, `${run.node}-${(serial += 1)}`, () => sleep(1), { deferrable: true });
    }
  };
  const { user, system } = process.cpuUsage();
  await Promise.all(Array.from({ length: run.callers }, caller));
  const after = process.cpuUsage();
  return (after.user + after.system - user - system) / run.pairs;
});
