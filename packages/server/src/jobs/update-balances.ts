import type { Probe } from '../gateway/index.ts';
import type { Job } from './runner.ts';

/** Asks vendors what is left on each channel's account, every so many minutes (CHANNEL_UPDATE_FREQUENCY). */
export const updateBalances = (probe: Pick<Probe, 'updateBalances'>, minutes: number): Job => ({
  name: 'update-balances',
  everyMs: minutes * 60_000,
  run: () => probe.updateBalances(),
});
