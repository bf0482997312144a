import type { MakeJob } from './parts.ts';

/** Deletes sessions that have ended. */
export const sweepSessions: MakeJob<'auth'> = ({ auth }) => ({
  name: 'sweep-sessions',
  everyMs: 60 * 60_000,
  async run() {
    await auth.sessions.sweep();
  },
});
