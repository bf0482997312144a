import type { Probe } from '../gateway/index.ts';
import type { Job } from './runner.ts';

/** For whom the timed test of channels is logged: root, the first user. */
const tester = { userId: 1, username: 'root', group: 'default' };

/** Tests every channel, every so many minutes (CHANNEL_TEST_FREQUENCY). */
export const testChannels = (probe: Pick<Probe, 'testAll'>, minutes: number): Job => ({
  name: 'test-channels',
  everyMs: minutes * 60_000,
  run: () => probe.testAll(tester).done,
});
