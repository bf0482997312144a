import type { Channel } from '../../relay/types/index.ts';
import type { Admission, RelayCall } from '../call/index.ts';

/** The data of a hold: the payer, and what recovery needs for a log row. */
export const holdRequest = (relayCall: RelayCall, admission: Admission, first: Channel) => ({
  requestId: relayCall.requestId,
  accountId: relayCall.caller.accountId,
  userId: relayCall.caller.userId,
  tokenId: relayCall.caller.tokenId,
  tokenUnlimited: relayCall.caller.tokenUnlimited,
  memberId: relayCall.caller.team?.memberId ?? 0,
  channelId: first.id,
  request: holdNote(relayCall, admission),
});

/** The JSON note beside a hold: the data of a log row in case the process dies. */
export const holdNote = (
  { caller, facts, startedAt }: RelayCall,
  { group, pricedModel }: Admission,
): string =>
  JSON.stringify({
    model: facts.model,
    group,
    username: caller.username,
    token: caller.tokenName,
    stream: facts.stream,
    ...(pricedModel !== facts.model && { pricedModel }),
    at: Math.floor(startedAt / 1000),
    ...(caller.team && { team: caller.team.id, teamName: caller.team.name }),
  });
