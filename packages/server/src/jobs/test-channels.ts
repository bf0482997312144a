import type { MakeJob } from './parts.ts';

/** For whom the timed test of channels is logged: root, the first user. */
const tester = { userId: 1, username: 'root', group: 'default' };

/**
 * Tests every channel, every so many minutes (CHANNEL_TEST_FREQUENCY). Where somebody has started a test of all by hand,
 * that one does.
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
