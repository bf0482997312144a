import type { Clock } from '../../lib/clock.ts';
import type { Http } from '../../lib/outbound/http.ts';
import type { Log } from '../../lib/log.ts';
import type { Channel, UpstreamCall, RelayError } from '../../relay/types/index.ts';
import type { RequestLedger, Settled } from '../../services/ledger/index.ts';
import type { ConsumeFacts } from '../../services/metering/index.ts';
import type { AdmitDeps, RateDeps } from '../entrance/index.ts';
import type { Ending, SiteLanguage, Running, CountedRequest, RelayCall } from '../call/index.ts';
import type { HoldDeps, CountTokens } from '../hold/index.ts';
import type { FailedCall, FailedExchange, FailoverDeps } from '../failover/index.ts';

/** What the end of a request needs. */
export interface SettleDeps extends SiteLanguage {
  ledger: RequestLedger;
  log: Log;
  clock(): number;
  /** Counts the input of a request exactly, for answers without usage. */
  countPrompt(request: CountedRequest): Promise<number>;
  /** Options LogConsumeEnabled and DataExportEnabled: which rows a settlement writes. */
  logsConsumption(): boolean;
  sumsHourly(): boolean;
  /** Told after each settlement: low-quota warning, figures. Never waits. */
  onSettled(relayCall: RelayCall, settled: Settled, facts: ConsumeFacts): void;
}

/** Everything one request needs, handed in by boot. */
export interface GatewayDeps extends AdmitDeps, HoldDeps, FailoverDeps, SettleDeps {
  ledger: RequestLedger;
  http: Http;
  /** Model requests a user may make. */
  rate: RateDeps;
  clock: Clock;
  countTokens: CountTokens;
  /**
   * Makes the upstream call for a channel (relay/bridge). Throws RelayError when the channel cannot carry it. What has
   * to be waited for ends with the request; undefined then.
   */
  prepare(
    relayCall: RelayCall,
    channel: Channel,
    ending?: Pick<Ending, 'signal' | 'orEnd'>,
  ): Promise<UpstreamCall | undefined>;
  /** Silence allowed before the head and within the body, and the end of the whole call (0 for none). */
  timeouts(
    stream: boolean,
    upstreamModel: string,
  ): { headersTimeoutMs: number; bodyTimeoutMs: number; deadlineMs: number };
  /** Headers that name us and the request on every answer. */
  identityHeaders(requestId: string): Record<string, string>;
  /** Keep-alive interval of streams, 0 when off (option general_setting.ping_interval_enabled). */
  pingEveryMs(): number;
  /** Writes the error row of a call that failed, or broke off, where error rows are switched on. Never waits. */
  onRefused(
    call: FailedExchange,
    error: RelayError,
    failed: Pick<FailedCall, 'channel' | 'tries'> | undefined,
  ): void;
  /** Requests in flight, for the drain at shutdown. */
  running: Running;
}
