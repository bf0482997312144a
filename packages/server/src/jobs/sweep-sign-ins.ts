import type { MakeJob } from './parts.ts';

const everyMs = 60 * 60_000;

/** Deletes sessions that have ended. */
export const sweepSessions: MakeJob<'auth'> = ({ auth }) => ({
  name: 'sweep-sessions',
  everyMs,
  async run() {
    await auth.sessions.sweep();
  },
});

/** Deletes codes by mail that have expired. */
export const sweepCodes: MakeJob<'codes'> = ({ codes }) => ({
  name: 'sweep-codes',
  everyMs,
  async run() {
    await codes.sweep();
  },
});

/** Deletes sign-ins through other sites that nobody ended. */
export const sweepRounds: MakeJob<'rounds'> = ({ rounds }) => ({
  name: 'sweep-rounds',
  everyMs,
  async run() {
    await rounds.sweep();
  },
});

/** Deletes second steps that nobody took, and questions that no passkey answered. */
export const sweepFactors: MakeJob<'factors'> = ({ factors }) => ({
  name: 'sweep-factors',
  everyMs,
  async run() {
    await factors.sweep();
  },
});
