import { channelStatus, testOutcome, type ChannelData } from '@tollgate/contract';

/** What the colour of a channel's tile says. */
export type Health = 'good' | 'lime' | 'warn' | 'slow' | 'failed' | 'bad' | 'off' | 'unknown';

/** Status first, then whether the last test failed, then its speed: 1, 3 and 5 s part the colours. */
export function healthOf({
  status,
  response_time: ms,
  test_outcome: outcome,
}: Pick<ChannelData, 'status' | 'response_time' | 'test_outcome'>): Health {
  if (status === channelStatus.autoDisabled) return 'bad';
  if (status !== channelStatus.enabled) return 'off';
  if (outcome === testOutcome.failed) return 'failed';
  if (ms === 0) return 'unknown';
  return ms <= 1000 ? 'good' : ms <= 3000 ? 'lime' : ms <= 5000 ? 'warn' : 'slow';
}
