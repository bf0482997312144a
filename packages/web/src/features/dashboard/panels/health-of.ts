import { channelStatus, testOutcome, type ChannelHealth, type ChannelTraffic } from '@tollgate/contract';

/** What the colour of a channel's tile says. */
export type Health = 'good' | 'lime' | 'warn' | 'slow' | 'failed' | 'bad' | 'off' | 'unknown';

type Judged = Pick<ChannelHealth, 'status' | 'response_time' | 'test_outcome' | 'test_time' | 'traffic'>;

/** From these shares of failed tries on a channel is to be looked at, and is called failing. */
const someFail = 0.02;
const manyFail = 0.25;

/** Whether a failed test says more than the calls do: nothing was answered since. */
export const isTestNews = ({ test_outcome: outcome, test_time: at, traffic }: Judged): boolean =>
  outcome === testOutcome.failed && at >= (traffic?.answered_time ?? 0);

/**
 * Status first, then how the calls of the last hour went; the last test of a channel counts where nobody called it, or
 * where it failed and nothing was answered since. 1, 3 and 5 s part the colours of speed.
 */
export function healthOf(channel: Judged): Health {
  const { traffic } = channel;
  if (channel.status === channelStatus.autoDisabled) return 'bad';
  if (channel.status !== channelStatus.enabled) return 'off';
  if (isTestNews(channel)) return 'failed';
  const failures = traffic && traffic.tries > 0 ? traffic.failed / traffic.tries : 0;
  if (failures >= manyFail) return 'failed';
  if (failures >= someFail) return 'warn';
  return speedOf(traffic?.first_byte_ms ?? channel.response_time, traffic);
}

function speedOf(ms: number, traffic: ChannelTraffic | null): Health {
  if (ms === 0) return traffic ? 'good' : 'unknown';
  return ms <= 1000 ? 'good' : ms <= 3000 ? 'lime' : ms <= 5000 ? 'warn' : 'slow';
}
