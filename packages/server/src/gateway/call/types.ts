import type { IncomingMessage } from 'node:http';
import type { PriceSnapshot } from '@tollgate/contract';
import type { RelayError, RequestForm, Inbound, RequestFacts } from '../../relay/types/index.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { PayingTeam } from '../../services/tokens/index.ts';
import type { CallTrace } from '../../services/traces/index.ts';
import type { AnswerSink } from './answer-sink.ts';
import type { ClientStream } from './client-stream.ts';

/** Who calls: a token's owner, or a logged-in user of the playground (token 0). Read once at the door. */
export interface Caller {
  userId: number;
  accountId: number;
  username: string;
  role: number;
  userGroup: string;
  /** The user's own setting: unpriced models are allowed. */
  acceptUnsetPrice: boolean;
  /** 0 for the playground. */
  tokenId: number;
  tokenName: string;
  /** The key as refusals show it; '' for the playground. */
  maskedKey: string;
  tokenGroup: string;
  tokenUnlimited: boolean;
  /** Models the token may call; null for all. */
  modelLimits: ReadonlySet<string> | null;
  /** Channel named by the suffix of an administrator's key; 0 for none. */
  pinnedChannelId: number;
  /** The team whose wallet pays; null for people who pay for themselves. */
  team: PayingTeam | null;
}

/** One relay request as it came in, with its way back. */
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
  readonly raw: Buffer;
  /** The body parsed; of a form its text fields. */
  readonly json: JsonObject;
  /** Set where the body is a form. */
  readonly form?: RequestForm | undefined;
  readonly facts: RequestFacts;
  /** Group asked for in the body (playground only); '' otherwise. */
  readonly askedGroup: string;
  /** Unix ms. */
  readonly startedAt: number;
  /**
   * Present where the answer is kept for anyone who asks for it again: its callers are told the error now, and the call
   * goes on without them. False where it may not.
   */
  readonly answerLater?: (error: RelayError) => boolean;
  /** True where the call was counted against its caller's limits before its body was read. */
  readonly isRateCounted?: boolean;
  /** Present where the call is traced. */
  readonly trace?: CallTrace | undefined;
}

/** As much of a request as its input tokens depend on. */
export interface CountedRequest {
  inbound: Pick<Inbound, 'id'>;
  json: JsonObject;
  facts: Pick<RequestFacts, 'model'>;
}

/** What was decided at the door: kept unchanged until the call is settled. */
export interface Admission {
  /** The group whose channels and ratio apply (the "using group"). */
  group: string;
  /** The price at this moment; later changes do not touch a running request. */
  snapshot: PriceSnapshot;
}

/** Why a stream ended, on the log row. */
export type EndReason =
  'complete' | 'client_gone' | 'upstream_error' | 'upstream_broken' | 'quota_exhausted' | 'shutdown';
