import type { MakeJob } from './parts.ts';

/** Polls vendors for the tasks that are due. */
export const pollTasks: MakeJob<'poller'> = ({ poller }) => ({
  name: 'poll-tasks',
  everyMs: 3_000,
  run: () => poller.run(),
});

/** Releases the holds of applications that have expired. */
export const releaseExpiredSales: MakeJob<'sales'> = ({ sales }) => ({
  name: 'release-expired-sales',
  everyMs: 5_000,
  async run() {
    await sales.releaseExpired();
  },
});

/** Writes the results of attempts on channels. */
export const countAttempts: MakeJob<'attempts'> = ({ attempts }) => ({
  name: 'count-attempts',
  everyMs: 15_000,
  run: () => attempts.flush(),
});

/** Deletes old counters of channels. */
export const expireChannelHealth: MakeJob<'channelHealth'> = ({ channelHealth }) => ({
  name: 'expire-channel-health',
  everyMs: 10 * 60_000,
  run: () => channelHealth.expire(),
});

/** The user of the log rows of the timed channel test: root, the first user. */
const tester = { userId: 1, username: 'root', group: 'default' };

/**
 * Tests every channel at an interval (CHANNEL_TEST_FREQUENCY). If a test of all channels is already running, it is
 * used instead.
 */
export const testChannels: MakeJob<'probe' | 'testMinutes'> = ({ probe, testMinutes }) =>
  testMinutes > 0
    ? {
        name: 'test-channels',
        everyMs: testMinutes * 60_000,
        async run() {
          if (!probe.testProgress().running) await probe.testAll(tester).done;
        },
      }
    : null;

/** Updates the balance of each channel's account at an interval (CHANNEL_UPDATE_FREQUENCY). */
export const updateBalances: MakeJob<'probe' | 'balanceMinutes'> = ({ probe, balanceMinutes }) =>
  balanceMinutes > 0
    ? {
        name: 'update-balances',
        everyMs: balanceMinutes * 60_000,
        run: () => probe.updateBalances(),
      }
    : null;

/**
 * Deletes stored calls (Idempotency-Key) older than a day or above the limits, old answers of the cache, captured texts, and old records
 * of responses, their conversations, and files.
 */
export const forgetOldCalls: MakeJob<
  'keyedCalls' | 'keptAnswers' | 'captured' | 'storedResponses' | 'keptParts' | 'keptResponses'
> = ({ keyedCalls, keptAnswers, captured, storedResponses, keptParts, keptResponses }) => ({
  name: 'forget-old-calls',
  everyMs: 10 * 60_000,
  async run() {
    await keyedCalls.sweep();
    await keptAnswers.sweep();
    await captured.sweep();
    await storedResponses.sweep();
    await keptParts.sweep();
    await keptResponses.sweep();
  },
});
