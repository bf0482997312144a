import type { IncomingMessage } from 'node:http';
import type { PriceSnapshot, Tags } from '@tollgate/contract';
import type {
  Channel,
  ChannelKey,
  RelayError,
  RequestForm,
  Inbound,
  RequestFacts,
} from '../../relay/types/index.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { PricedAnswer } from '../../services/calls/idempotency/index.ts';
import type { Settlement } from '../../services/money/ledger/index.ts';
import type { ChannelRule, PayingTeam } from '../../services/people/tokens/index.ts';
import type { CallTrace } from '../../services/site/traces/index.ts';
import type { AnswerSink, ClientStream } from './client-stream.ts';

/** The caller: a token's owner, or a logged-in user of the playground (token 0). Read once, at admission. */
export interface Caller {
  userId: number;
  accountId: number;
  username: string;
  role: number;
  userGroup: string;
  /** The user's own setting: models without a price are allowed. */
  acceptUnsetPrice: boolean;
  /** 0 for the playground. */
  tokenId: number;
  tokenName: string;
  /** The masked key, for error messages; '' for the playground. */
  maskedKey: string;
  tokenGroup: string;
  /** True if a failed call of the group auto may go on to the next group. */
  crossGroupRetry: boolean;
  tokenUnlimited: boolean;
  /** Models the token may call; null for all. */
  modelLimits: ReadonlySet<string> | null;
  /** What the rules of key and organisation require of channels; null for nothing. */
  channelRule: ChannelRule | null;
  /** Channel named by the suffix of an administrator's key; 0 for none. */
  pinnedChannelId: number;
  /** Path of the run that the key was made for, to which all its calls belong; absent for other keys. */
  run?: string | undefined;
  /** The team that pays; null if the user pays. */
  team: PayingTeam | null;
}

/** One relay request as it arrived, with the stream to its caller. */
export interface RelayCall {
  readonly req: Pick<IncomingMessage, 'headers'>;
  readonly res: AnswerSink;
  readonly client: ClientStream;
  readonly requestId: string;
  readonly inbound: Inbound;
  readonly caller: Caller;
  readonly ip: string;
  /** Path and query as the caller sent them. */
  readonly path: string;
  readonly query: string;
  /** Empty once a part of the answer was sent to the caller: it is not sent upstream again. */
  raw: Buffer;
  /** The parsed body; of a form, its text fields. */
  readonly json: JsonObject;
  /** Set if the body is a form. */
  readonly form?: RequestForm | undefined;
  readonly facts: RequestFacts;
  /** Requested group in the body (playground only); '' otherwise. */
  readonly askedGroup: string;
  /** The caller's tags of the call; absent for none. */
  readonly tags?: Tags | undefined;
  /** Unix ms. */
  readonly startedAt: number;
  /**
   * Present if the answer is stored for repetitions (Idempotency-Key): sends an error to the present callers while the call
   * continues. Returns false if that is not possible.
   */
  readonly answerLater?: (error: RelayError) => boolean;
  /** Present with `answerLater`: the record of the call under its key, which is part of its settlement. */
  readonly keyed?: Settlement['keyed'];
  /** Present if the call may get a stored answer. */
  readonly cached?: CachedCall | undefined;
  /** True if the texts of the call are captured. */
  readonly isCaptured?: true | undefined;
  /** Name of the guard hook that has replaced texts of the request; absent for none. */
  readonly replacedBy?: string | undefined;
  /** Present if hooks check the answer: the journey sets `stop`, which ends the call for a refused answer. */
  readonly guard?: { stop?: () => void; mayChange: boolean } | undefined;
  /** Present if the answer is kept while it runs: `prepare` keeps its end, and is awaited before its charge. */
  readonly recording?: { prepare(tail: Buffer | undefined): Promise<void> } | undefined;
  /** True if the call was counted against its caller's rate limits before its body was read. */
  readonly isRateCounted?: boolean;
  /** Present if the call is traced. */
  readonly trace?: CallTrace | undefined;
  /** Set if only one channel has what the call refers to: a stored response, or files. */
  isBound?: true;
}

/** A call that may get a stored answer (docs/money.md#answers-from-the-cache). */
export interface CachedCall {
  /** The answer that is stored for it; undefined without one. */
  find(): Promise<PricedAnswer | undefined>;
  /** Set if the vendor got another request than the caller's, whose answer is not stored. */
  isChanged: boolean;
}

/** The parts of a request from which the call of an upstream is made. */
export type PreparedCall = Pick<
  RelayCall,
  | 'req'
  | 'requestId'
  | 'inbound'
  | 'path'
  | 'query'
  | 'raw'
  | 'json'
  | 'form'
  | 'facts'
  | 'startedAt'
  | 'trace'
>;

/** The parts of a request on which its input tokens depend. */
export interface CountedRequest {
  inbound: Pick<Inbound, 'id'>;
  json: JsonObject;
  facts: Pick<RequestFacts, 'model'>;
}

/** The decisions of admission: unchanged until the call is settled, unless a further channel has another price. */
export interface Admission {
  /** The group with the channels and the ratio of the call (the "using group"). */
  group: string;
  /** The price at admission; later changes do not affect a running request. */
  snapshot: PriceSnapshot;
  /** The name with the price: the caller's, or the channel's upstream name. */
  pricedModel: string;
  /** Name of the budget that had no room, so that a cheaper model serves the call. */
  cheaperBy?: string;
  /** The kind of web search with the price. */
  searchKind?: RequestFacts['searchKind'];
}

/**
 * End reason of a stream, for the log row. `quota_exhausted`, `ceiling_reached`, `budget_reached` and
 * `ledger_unavailable`: its hold could not grow.
 */
export type EndReason =
  | 'complete'
  | 'client_gone'
  | 'upstream_error'
  | 'upstream_broken'
  | 'quota_exhausted'
  | 'ceiling_reached'
  | 'budget_reached'
  /** A guard hook refused a part of the answer. */
  | 'hook_refused'
  | 'ledger_unavailable'
  | 'shutdown';

/** One attempt, for the log row and the receipt. */
export interface AttemptRecord {
  channelId: number;
  ms: number;
  /** The used key of a channel with several. */
  key?: ChannelKey | undefined;
  /** Absent for the attempt that answered. */
  reason?: string;
  status?: number;
}

/** The last channel of a call that failed, and all attempts. */
export interface FailedTries {
  channel: Channel;
  tries: readonly AttemptRecord[];
}

/** The parts of a failed call that its log row needs. */
export interface FailedExchange extends Pick<
  RelayCall,
  'requestId' | 'path' | 'caller' | 'askedGroup' | 'startedAt' | 'trace' | 'tags'
> {
  facts: Pick<RelayCall['facts'], 'model' | 'stream'>;
}
