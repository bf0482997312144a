import type { ChannelTestProgress } from '@tollgate/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { root } from '../base/queries.ts';

/**
 * The result of a test of all channels that ended while this page was open, until it is put away; and the way to put
 * it away. The list of channels is refetched at that moment, because its colours have changed.
 */
export function useTestSummary(
  progress: ChannelTestProgress | undefined,
): [result: ChannelTestProgress | null, close: () => void] {
  const client = useQueryClient();
  const [wasRunning, setWasRunning] = useState(false);
  const [isEnded, setEnded] = useState(false);
  const running = progress?.running ?? false;
  if (running !== wasRunning) {
    setWasRunning(running);
    setEnded(!running);
  }
  useEffect(() => {
    if (isEnded) void client.invalidateQueries({ queryKey: root });
  }, [client, isEnded]);
  return [isEnded && progress ? progress : null, () => setEnded(false)];
}
