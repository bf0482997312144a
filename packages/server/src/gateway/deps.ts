import type { Clock } from '../lib/clock.ts';
import type { Http } from '../lib/http.ts';
import type { Log } from '../lib/log.ts';
import type { Channel } from '../relay/model/channel.ts';
import type { UpstreamCall } from '../relay/model/provider.ts';
import type { RelayError } from '../relay/model/relay-error.ts';
import type { RequestLedger, Settled } from '../services/ledger/index.ts';
import type { AdmitDeps } from './admit.ts';
import type { Ending } from './ending.ts';
import type { HoldDeps } from './hold.ts';
import type { FailedCall, LadderDeps } from './ladder.ts';
import type { CountTokens } from './meter.ts';
import type { RateDeps } from './rate.ts';
import type { Running } from './running.ts';
import type { CountedRequest, Exchange } from './types.ts';

/** What the end of a request needs. */
export interface SettleDeps {
  ledger: RequestLedger;
  clock(): number;
  /** Counts the input of a request exactly, for answers without usage. */
  countPrompt(request: CountedRequest): Promise<number>;
  /** Options LogConsumeEnabled and DataExportEnabled: which rows a settlement writes. */
  logsConsumption(): boolean;
  sumsHourly(): boolean;
  /** Told after each settlement: low-quota warning. Never waits. */
  onSettled(exchange: Exchange, settled: Settled): void;
}

/** Everything one request needs, handed in by boot. */
export interface GatewayDeps extends AdmitDeps, HoldDeps, LadderDeps, SettleDeps {
  ledger: RequestLedger;
  http: Http;
  /** Model requests a user may make. */
  rate: RateDeps;
  log: Log;
  clock: Clock;
  countTokens: CountTokens;
  /**
   * Makes the upstream call for a channel (relay/bridge). Throws RelayError when the channel cannot carry it. What has
   * to be waited for ends with the request.
   */
  prepare(
    exchange: Exchange,
    channel: Channel,
    ending?: Pick<Ending, 'signal'>,
  ): UpstreamCall | Promise<UpstreamCall>;
  /** Silence allowed before the head and within the body, and the end of the whole call (0 for none). */
  timeouts(
    stream: boolean,
    upstreamModel: string,
  ): { headersTimeoutMs: number; bodyTimeoutMs: number; deadlineMs: number };
  /** Headers that name us and the request on every answer. */
  identityHeaders(requestId: string): Record<string, string>;
  /** Keep-alive interval of streams, 0 when off (option general_setting.ping_interval_enabled). */
  pingEveryMs(): number;
  /** Writes the error row of a failed call where error rows are switched on. Never waits. */
  onRefused(exchange: Exchange, error: RelayError, failed: FailedCall | undefined): void;
  /** Requests in flight, for the drain at shutdown. */
  running: Running;
}
