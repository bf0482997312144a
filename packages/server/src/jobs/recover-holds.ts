import type { MakeJob } from './parts.ts';

/** Ends the holds of processes that died, including an earlier one of this name. */
export const recoverHolds: MakeJob<'ledger' | 'log'> = ({ ledger, log }) => ({
  name: 'recover-holds',
  everyMs: 60_000,
  async run() {
    const recovery = await ledger.recover();
    if (recovery.settled + recovery.released > 0)
      log.warn({ recovery }, 'ended holds of a process that died');
  },
});
