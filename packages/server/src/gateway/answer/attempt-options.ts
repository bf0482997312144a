import type { AnswerEnd, RelayError, UpstreamCall } from '../../relay/types/index.ts';
import type { ClientStream } from '../call/index.ts';
import type { HoldGuard } from '../hold/index.ts';
import type { GatewayHeaders } from './answer-head.ts';

/** How one attempt on one channel ended. */
export type AttemptResult =
  /** Nothing was sent to the caller: another channel may be tried. `call` is the failed call, if one was sent. */
  | { kind: 'failed'; error: RelayError; call?: UpstreamCall | undefined }
  /** The upstream answered, completely or not, as `end` shows. */
  | { kind: 'answered'; end: AnswerEnd }
  /** Tollgate ended it: the caller disconnected, the balance ended, the process stops. */
  | { kind: 'stopped'; end: AnswerEnd };

/** The parts of one attempt on one channel. */
export interface AttemptOptions {
  client: ClientStream;
  stream: boolean;
  /** Headers for the caller beside the content type. */
  headers: GatewayHeaders;
  /** Delivers only what the hold covers. */
  guard: HoldGuard;
  /** Called when a part of the answer was sent: no other attempt follows. */
  onStarted(): void;
  /** Called when the balance has ended and what was paid for has been delivered. */
  onBalanceEnd(): void;
  now(): number;
  /** The result, once it is known whether the hold is valid; rejects if it is not. */
  confirmResult(result: AttemptResult): Promise<AttemptResult>;
}
