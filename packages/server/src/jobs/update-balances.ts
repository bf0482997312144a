import type { MakeJob } from './parts.ts';

/** Asks vendors what is left on each channel's account, every so many minutes (CHANNEL_UPDATE_FREQUENCY). */
export const updateBalances: MakeJob<'probe' | 'balanceMinutes'> = ({ probe, balanceMinutes }) =>
  balanceMinutes > 0
    ? {
        name: 'update-balances',
        everyMs: balanceMinutes * 60_000,
        run: () => probe.updateBalances(),
      }
    : null;
