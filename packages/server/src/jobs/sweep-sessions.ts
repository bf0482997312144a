import type { Auth } from '../services/auth/index.ts';
import type { Job } from './runner.ts';

/** Deletes sessions that have ended. */
export const sweepSessions = (sessions: Pick<Auth['sessions'], 'sweep'>): Job => ({
  name: 'sweep-sessions',
  everyMs: 60 * 60_000,
  async run() {
    await sessions.sweep();
  },
});
