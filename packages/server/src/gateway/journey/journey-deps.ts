import type { Clock } from '../../lib/clock.ts';
import type { Http } from '../../lib/outbound/http.ts';
import type { Channel, RelayError, UpstreamCall } from '../../relay/types/index.ts';
import type { RequestLedger } from '../../services/money/ledger/index.ts';
import type { CountedRequest, Cancellation, RelayCall, Running } from '../call/index.ts';
import type { CountTokens, MarkRounds } from '../hold/index.ts';

/** What a request needs between hold and settlement. */
export interface JourneyDeps {
  ledger: Pick<RequestLedger, 'endDeferral' | 'mark'>;
  http: Http;
  clock: Clock;
  countTokens: CountTokens;
  /** Counts the input of a request exactly, for progress marks. */
  countPrompt(request: CountedRequest): Promise<number>;
  /** When progress marks are written. */
  markRounds: Pick<MarkRounds, 'add' | 'delete'>;
  /**
   * Creates the upstream call for a channel (relay/bridge). Throws RelayError if the channel cannot serve it. If it has to wait
   * for something and the request ends first, the result is undefined.
   */
  prepare(
    relayCall: RelayCall,
    channel: Channel,
    cancellation?: Pick<Cancellation, 'signal' | 'unlessCancelled'>,
  ): Promise<UpstreamCall | undefined>;
  /** Discards the access token of a call if its failure rejects the token: the call is then repeated once. False for any other failure. */
  dropRejectedToken(channel: Channel, call: UpstreamCall, error: RelayError): boolean;
  /**
   * Set if a call failed for want of its path, and is made once more in another protocol, as all later ones are. The function
   * takes that back, for where the other protocol fails too.
   */
  goesOnTranslated(
    relayCall: RelayCall,
    channel: Channel,
    call: UpstreamCall,
    error: RelayError,
  ): (() => void) | undefined;
  /** Timeouts before the head and within the body, and the deadline of the whole call (0 for none). */
  timeouts(
    stream: boolean,
    upstreamModel: string,
  ): { headersTimeoutMs: number; bodyTimeoutMs: number; deadlineMs: number };
  /** Headers of every answer: Tollgate's name and the request id. */
  identityHeaders(requestId: string): Record<string, string>;
  /** Keep-alive interval of streams, 0 when off (option general_setting.ping_interval_enabled). */
  pingEveryMs(): number;
  /** Running requests, some of which may read to the end without their caller. */
  running: Pick<Running, 'takeDrain'>;
}
