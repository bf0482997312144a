import { sandboxChannelType, tokenApi } from '@tollgate/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../../../lib/api/api-client.ts';
import type { Text } from '../../../lib/i18n.ts';
import { stored } from '../../../lib/storage.ts';
import { channelHealthQuery, freshSelfQuery } from '../base/queries.ts';
import { text } from '../base/text.ts';

/** One step to the first billed call, and the page for it. */
export interface Step {
  id: 'channel' | 'balance' | 'token' | 'call' | 'receipt';
  title: Text;
  hint: Text;
  to: string;
  search: Record<string, string>;
  done: boolean;
}

const tokensQuery = queryOptions({
  queryKey: ['dashboard', 'tokens'],
  queryFn: ({ signal }) => call(tokenApi.list, { p: 0, size: 1 }, { signal }),
});

/** The channel step of administrators: the sandbox of the set-up does not count as a vendor. */
function useChannelStep(isAdmin: boolean): Step | null | undefined {
  const channels = useQuery({ ...channelHealthQuery, enabled: isAdmin }).data;
  if (!isAdmin) return null;
  if (!channels) return undefined;
  return {
    id: 'channel',
    title: text.stepChannel,
    hint: text.stepChannelHint,
    to: '/channel',
    search: { edit: 'new' },
    done: channels.some(({ type }) => type !== sandboxChannelType),
  };
}

/** The steps to the first call with the user's progress; undefined until that is known. */
export function useSteps(isAdmin: boolean): readonly Step[] | undefined {
  const self = useQuery(freshSelfQuery).data;
  // A user with calls has a token, so tokens are requested only before the first call.
  const calledBefore = self !== undefined && self.request_count > 0;
  const asked = useQuery({ ...tokensQuery, enabled: self !== undefined && !calledBefore }).data;
  const tokens = calledBefore ? [] : asked;
  const receiptSeen = stored.receiptSeen.use();
  const channel = useChannelStep(isAdmin);
  if (self === undefined || tokens === undefined || channel === undefined) return undefined;
  const called = self.request_count > 0;
  const [first] = tokens;
  return [
    channel ?? {
      id: 'balance',
      title: text.stepBalance,
      hint: text.stepBalanceHint,
      to: '/topup',
      search: {},
      done: self.quota > 0 || called,
    },
    {
      id: 'token',
      title: text.stepToken,
      hint: text.stepTokenHint,
      to: '/token',
      search: called || first ? {} : { edit: 'new' },
      done: called || first !== undefined,
    },
    {
      id: 'call',
      title: text.stepCall,
      hint: text.stepCallHint,
      to: '/token',
      search: first ? { use: String(first.id) } : {},
      done: called,
    },
    {
      id: 'receipt',
      title: text.stepLog,
      hint: text.stepLogHint,
      to: '/log',
      search: { range: '7d' },
      done: called && receiptSeen,
    },
  ];
}
