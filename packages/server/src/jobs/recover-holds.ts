import type { Log } from '../lib/log.ts';
import type { Recovery } from '../services/ledger/index.ts';
import type { Job } from './runner.ts';

const recovering = (name: string, everyMs: number, log: Log, recover: () => Promise<Recovery>): Job => ({
  name,
  everyMs,
  async run() {
    const recovery = await recover();
    if (recovery.settled + recovery.released > 0)
      log.warn({ recovery }, 'ended holds of a process that died');
  },
});

/** Ends holds that nobody will end: those of processes that died, this one's former life among them. */
export const recoverHolds = (recover: () => Promise<Recovery>, log: Log): Job =>
  recovering('recover-holds', 60_000, log, recover);

/** Ends holds of other processes on the same database as soon as they count as dead. */
export const recoverOthers = (recover: () => Promise<Recovery>, log: Log): Job =>
  recovering('recover-others', 1_000, log, recover);
