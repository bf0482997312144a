import type { CallLedger } from '../../services/money/ledger/index.ts';
import type { AdmitDeps, RateDeps } from '../entrance/index.ts';
import type { SiteErrors } from '../failover/index.ts';
import type { HoldDeps } from '../hold/index.ts';
import type { JourneyDeps } from '../journey/index.ts';
import type { SettleDeps } from '../settle/index.ts';

/** What a session needs for its holds. */
export interface SessionHoldDeps
  extends Pick<HoldDeps, 'showQuota'>, Pick<JourneyDeps, 'clock' | 'markRounds'> {
  ledger: Pick<CallLedger, 'reserve' | 'extend' | 'mark' | 'settle' | 'release' | 'whenReleased'>;
}

/** What a session needs of the gateway while it runs. */
export interface SessionDeps
  extends
    Pick<AdmitDeps, 'forbiddenWord' | 'pricing'>,
    Pick<JourneyDeps, 'countTokens' | 'clock'>,
    Pick<SettleDeps, 'log' | 'logsConsumption' | 'sumsHourly' | 'costOf' | 'onSettled'>,
    SiteErrors {
  rate: RateDeps;
}
