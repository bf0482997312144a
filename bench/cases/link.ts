import { fork } from 'node:child_process';
import { join } from 'node:path';
import { overChannel } from '../../packages/server/src/boot/workers/channel.ts';
import { createLog } from '../../packages/server/src/lib/log.ts';
import { ProcessLink } from '../../packages/server/src/lib/processes/process-link.ts';
import { createLedger, openAccount } from '../../packages/server/src/services/money/ledger/index.ts';
import { migrate, openStore, users } from '../../packages/server/src/store/index.ts';
import type { LinkRun } from '../parts/link-caller.ts';

/** What a call's money costs the process that writes for two workers, and each of those. */
export interface LinkCost {
  /** Calls under way at once, of both. */
  callers: number;
  perSecond: number;
  /** Processor time per call, all threads. */
  writerUs: number;
  workerUs: number;
}

const workers = 2;
const child = join(import.meta.dirname, '../parts/link-caller.ts');

/** Two processes hold and settle on the ledger of this one, without HTTP; the writer is this process. */
export async function runLink(folder: string): Promise<LinkCost[]> {
  const url = `sqlite:${join(folder, 'link.db')}`;
  const store = await openStore({ url });
  await migrate(store);
  const ledger = createLedger({ store, log: createLog('warn'), clock: Date.now, node: 'bench' });
  const accountId = await openAccount(store.db);
  const userId = await users.create(store.db, { account_id: accountId, username: 'bench', created_time: 0 });
  await ledger.credit({ txn: 'gift:bench', kind: 'gift', accountId, userId, amount: 1e12 });
  const payer = { accountId, userId, tokenId: 0 };
  const children = Array.from({ length: workers }, () => fork(child, { serialization: 'advanced' }));
  const links = await Promise.all(
    children.map(async (one, index) => {
      const link = new ProcessLink(overChannel(one));
      await store.share?.(link);
      await ledger.serve(link, `w${index}`);
      return link;
    }),
  );
  const costs: LinkCost[] = [];
  // The first run is for the compiler.
  for (const callers of [32, 16, 64, 200]) {
    const pairs = callers * 100 + 8_000;
    const before = process.cpuUsage();
    const since = performance.now();
    const each = await Promise.all(
      links.map((link, index) =>
        link.ask('run', { url, node: `w${index}`, payer, callers, pairs } satisfies LinkRun),
      ),
    );
    const { user, system } = process.cpuUsage(before);
    const seconds = (performance.now() - since) / 1_000;
    const all = pairs * workers;
    const workerUs = each.reduce<number>((sum, us) => sum + Number(us), 0) / workers;
    costs.push({
      callers: callers * workers,
      perSecond: all / seconds,
      writerUs: (user + system) / all,
      workerUs,
    });
  }
  for (const one of children) one.kill();
  await ledger.close();
  await store.close();
  return costs.slice(1);
}
