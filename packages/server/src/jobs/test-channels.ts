import type { MakeJob } from './parts.ts';

/** The user in whose name the timed test of channels is logged: root, the first user. */
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
