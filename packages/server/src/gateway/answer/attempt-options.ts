import type { AnswerEnd, RelayError, UpstreamCall } from '../../relay/types/index.ts';
import type { ClientStream } from '../call/index.ts';
import type { Watch } from '../hold/index.ts';
import type { OwnHeaders } from './answer-head.ts';

/** How one try on one channel ended. */
export type AttemptResult =
  /** Nothing left for the caller: another channel may be tried. `call` is what failed, where anything was sent. */
  | { kind: 'failed'; error: RelayError; call?: UpstreamCall | undefined }
  /** The upstream answered, well or badly; `end` tells. */
  | { kind: 'answered'; end: AnswerEnd }
  /** We ended it: the caller hung up, the balance ended, the process stops. */
  | { kind: 'stopped'; end: AnswerEnd };

/** What one try on one channel is made with. */
export interface AttemptOptions {
  client: ClientStream;
  stream: boolean;
  /** Headers for the caller beside the content type. */
  headers: OwnHeaders;
  /** Keeps an eye on the cost of what is delivered. */
  watch: Watch;
  /** A part of the answer has left: no other try follows. */
  onStarted(): void;
  /** The balance ended and what was paid for has been delivered. */
  onBalanceEnd(): void;
  now(): number;
  /** The result, once it may be acted upon; or why it may not. */
  whenSure(result: AttemptResult): Promise<AttemptResult>;
}
