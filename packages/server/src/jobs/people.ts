import type { MakeJob } from './parts.ts';

const everyMs = 60 * 60_000;

/** Deletes ended sessions. */
export const sweepSessions: MakeJob<'auth'> = ({ auth }) => ({
  name: 'sweep-sessions',
  everyMs,
  async run() {
    await auth.sessions.sweep();
  },
});

/** Deletes expired codes sent by mail. */
export const sweepCodes: MakeJob<'codes'> = ({ codes }) => ({
  name: 'sweep-codes',
  everyMs,
  async run() {
    await codes.sweep();
  },
});

/** Deletes sign-ins through other sites that were not completed. */
export const sweepRounds: MakeJob<'rounds'> = ({ rounds }) => ({
  name: 'sweep-rounds',
  everyMs,
  async run() {
    await rounds.sweep();
  },
});

/** Deletes second steps that were not completed, and passkey challenges without an answer. */
export const sweepFactors: MakeJob<'factors'> = ({ factors }) => ({
  name: 'sweep-factors',
  everyMs,
  async run() {
    await factors.sweep();
  },
});
