import type { MakeJob } from './parts.ts';

/** Updates the balance of each channel's account at an interval (CHANNEL_UPDATE_FREQUENCY). */
export const updateBalances: MakeJob<'probe' | 'balanceMinutes'> = ({ probe, balanceMinutes }) =>
  balanceMinutes > 0
    ? {
        name: 'update-balances',
        everyMs: balanceMinutes * 60_000,
        run: () => probe.updateBalances(),
      }
    : null;
