import type { MakeJob } from './parts.ts';

/**
 * Applies prices that vendors announced for a day, within seconds of its start, if the site has no table of its own.
 */
export const renewDefaults: MakeJob<'settings'> = ({ settings }) => ({
  name: 'renew-defaults',
  everyMs: 5_000,
  run: () => settings.renew(),
});
