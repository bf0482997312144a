import type { Settlement } from '../../services/ledger/index.ts';
import { buildConsumeLog, type ConsumeFacts, countsAsUse, hourlyOf } from '../../services/metering/index.ts';
import type { SettleDeps } from './settle-deps.ts';

/** The settlement of a call, with the rows that the site wants of it. */
export function bookingOf(
  deps: Pick<SettleDeps, 'logsConsumption' | 'sumsHourly' | 'costOf'>,
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
