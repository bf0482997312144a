import type { MakeJob } from './parts.ts';

/** Ends holds of other processes on the same database as soon as they count as dead. */
export const recoverOthers: MakeJob<'isAlone' | 'ledger' | 'log'> = ({ isAlone, ledger, log }) =>
  isAlone
    ? null
    : {
        name: 'recover-others',
        everyMs: 1_000,
        async run() {
          const recovery = await ledger.recoverOthers();
          if (recovery.settled + recovery.released > 0)
            log.warn({ recovery }, 'ended holds of a process that died');
        },
      };
