import { channelStatus, testOutcome, type ChannelHealth, type ChannelTraffic } from '@tollgate/contract';

/** The state behind the colour of a channel's tile. */
export type Health = 'good' | 'lime' | 'warn' | 'slow' | 'failed' | 'bad' | 'off' | 'unknown';

type HealthFacts = Pick<ChannelHealth, 'status' | 'response_time' | 'test_outcome' | 'test_time' | 'traffic'>;

/** Share of failed attempts from which a channel is a warning, and from which it is failing. */
const warnFailShare = 0.02;
const badFailShare = 0.25;

/** Whether a failed test is newer than the last answered call. */
export const isTestNewer = ({ test_outcome: outcome, test_time: at, traffic }: HealthFacts): boolean =>
  outcome === testOutcome.failed && at >= (traffic?.answered_time ?? 0);

/**
 * The state of a channel: its status, then the calls of the last hour. The last test counts if there were no calls, or if
 * it failed and no call was answered since. Speed changes colour at 1, 3 and 5 s.
 */
export function healthOf(channel: HealthFacts): Health {
  const { traffic } = channel;
  if (channel.status === channelStatus.autoDisabled) return 'bad';
  if (channel.status !== channelStatus.enabled) return 'off';
  if (isTestNewer(channel)) return 'failed';
  const failures = traffic && traffic.tries > 0 ? traffic.failed / traffic.tries : 0;
  if (failures >= badFailShare) return 'failed';
  if (failures >= warnFailShare) return 'warn';
  return speedOf(traffic?.first_byte_ms ?? channel.response_time, traffic);
}

function speedOf(ms: number, traffic: ChannelTraffic | null): Health {
  if (ms === 0) return traffic ? 'good' : 'unknown';
  return ms <= 1000 ? 'good' : ms <= 3000 ? 'lime' : ms <= 5000 ? 'warn' : 'slow';
}
