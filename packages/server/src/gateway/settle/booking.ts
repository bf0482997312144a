import type { Settlement } from '../../services/money/ledger/index.ts';
import {
  buildConsumeLog,
  type ConsumeFacts,
  countsAsUse,
  hourlyOf,
} from '../../services/calls/metering/index.ts';
import type { Caller, GatewayDeps } from '../call/index.ts';

/** The caller and the key, as in every log row. */
export const callerFacts = ({
  userId,
  username,
  tokenId,
  tokenName,
  team,
  userGroup,
}: Caller): Pick<ConsumeFacts, 'userId' | 'username' | 'tokenId' | 'tokenName' | 'team' | 'userGroup'> => ({
  userId,
  username,
  tokenId,
  tokenName,
  team,
  userGroup,
});

/** The settlement of a call, with the rows that the site's settings require. */
export function bookingOf(
  deps: Pick<GatewayDeps, 'logsConsumption' | 'sumsHourly' | 'costOf'>,
  facts: ConsumeFacts,
): Settlement {
  const isLogged = deps.logsConsumption();
  return {
    requestId: facts.requestId,
    amount: facts.bill.quota,
    channelId: facts.channelId,
    counts: countsAsUse(facts),
    log: isLogged ? buildConsumeLog(facts, facts.cost ?? deps.costOf(facts)) : null,
    hourly: isLogged && deps.sumsHourly() ? hourlyOf(facts) : null,
  };
}
