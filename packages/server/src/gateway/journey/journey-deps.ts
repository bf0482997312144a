import type { Clock } from '../../lib/clock.ts';
import type { Http } from '../../lib/outbound/http.ts';
import type { Channel, RelayError, UpstreamCall } from '../../relay/types/index.ts';
import type { RequestLedger } from '../../services/ledger/index.ts';
import type { CountedRequest, Cancellation, RelayCall, Running } from '../call/index.ts';
import type { CountTokens, MarkRounds } from '../hold/index.ts';

/** What a request needs between its hold and its settlement. */
export interface JourneyDeps {
  ledger: Pick<RequestLedger, 'hurry' | 'mark'>;
  http: Http;
  clock: Clock;
  countTokens: CountTokens;
  /** Counts the input of a request exactly, for marks of what was delivered. */
  countPrompt(request: CountedRequest): Promise<number>;
  /** When what was delivered is noted. */
  markRounds: Pick<MarkRounds, 'add'>;
  /**
   * Makes the upstream call for a channel (relay/bridge). Throws RelayError when the channel cannot carry it. What has
   * to be waited for ends with the request; undefined then.
   */
  prepare(
    relayCall: RelayCall,
    channel: Channel,
    cancellation?: Pick<Cancellation, 'signal' | 'unlessCancelled'>,
  ): Promise<UpstreamCall | undefined>;
  /** Gives up the tokens of a call whose failure refuses them: the call is then made once more. False for any other. */
  gaveUpToken(channel: Channel, call: UpstreamCall, error: RelayError): boolean;
  /** Silence allowed before the head and within the body, and the end of the whole call (0 for none). */
  timeouts(
    stream: boolean,
    upstreamModel: string,
  ): { headersTimeoutMs: number; bodyTimeoutMs: number; deadlineMs: number };
  /** Headers that name us and the request on every answer. */
  identityHeaders(requestId: string): Record<string, string>;
  /** Keep-alive interval of streams, 0 when off (option general_setting.ping_interval_enabled). */
  pingEveryMs(): number;
  /** Requests in flight, of which some may read on without their caller. */
  running: Pick<Running, 'takeDrain'>;
}
