import type { CallLedger } from '../services/money/ledger/index.ts';
import type { Running } from './call/index.ts';
import type { AdmitDeps, RateDeps } from './entrance/index.ts';
import type { FailoverDeps, FailureReport, RefuseDeps } from './failover/index.ts';
import type { HoldDeps } from './hold/index.ts';
import type { JourneyDeps } from './journey/index.ts';
import type { SettleDeps } from './settle/index.ts';

/** Everything one request needs, passed in by boot. */
export interface GatewayDeps
  extends AdmitDeps, HoldDeps, FailoverDeps, RefuseDeps, FailureReport, JourneyDeps, SettleDeps {
  ledger: CallLedger;
  clock: JourneyDeps['clock'];
  /** Model requests a user may make. */
  rate: RateDeps;
  /** Running requests, for the drain at shutdown. */
  running: Running;
}
