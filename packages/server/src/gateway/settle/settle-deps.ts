import type { Log } from '../../lib/log.ts';
import type { CostedCall } from '../../services/money/costs/index.ts';
import type { RequestLedger, Settled } from '../../services/money/ledger/index.ts';
import type { ConsumeFacts } from '../../services/calls/metering/index.ts';
import type { SiteErrors } from '../failover/index.ts';
import type { CountedRequest, RelayCall } from '../call/index.ts';

/** What a settlement needs. */
export interface SettleDeps extends SiteErrors {
  ledger: Pick<RequestLedger, 'settle' | 'flush'>;
  log: Log;
  clock(): number;
  /** Counts the input of a request exactly, for answers without usage. */
  countPrompt(request: CountedRequest): Promise<number>;
  /** Options LogConsumeEnabled and DataExportEnabled: which rows a settlement writes. */
  logsConsumption(): boolean;
  sumsHourly(): boolean;
  /** Quota units that a call cost the operator; null if unknown. */
  costOf(call: CostedCall): number | null;
  /** Called after each settlement: low-quota warning, metrics. Must not wait. */
  onSettled(relayCall: RelayCall, settled: Settled, facts: ConsumeFacts): void;
}
