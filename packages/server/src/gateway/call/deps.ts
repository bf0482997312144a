import type { Clock } from '../../lib/clock.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Log } from '../../lib/log.ts';
import type { Http } from '../../lib/outbound/http.ts';
import type { Channel, FilesApi, ProtocolId, RelayError, UpstreamCall } from '../../relay/types/index.ts';
import type { ConsumeFacts } from '../../services/calls/metering/index.ts';
import type {
  AttemptCounts,
  Limits,
  Routing,
  StoredResponses,
  KeptParts,
  KeptResponses,
  ReferencedTexts,
  VendorFiles,
} from '../../services/calls/routing/index.ts';
import type { BudgetedCall, Runs } from '../../services/money/budgets/index.ts';
import type { CostedCall } from '../../services/money/costs/index.ts';
import type { CallLedger, Settled } from '../../services/money/ledger/index.ts';
import type { Pricing } from '../../services/money/pricing/index.ts';
import type { ModelLimiter, ModelLimits } from '../../services/site/rate-limit/index.ts';
import type { Cancellation, Running } from './client-stream.ts';
import type { SiteLanguage } from './reader-language.ts';
import type {
  Caller,
  CountedRequest,
  FailedExchange,
  FailedTries,
  PreparedCall,
  RelayCall,
} from './types.ts';

/**
 * Dependencies of calls, sessions and tasks, passed in by boot. A function takes a part of it if its test needs less.
 */
export interface GatewayDeps extends SiteLanguage {
  http: Http;
  clock: Clock;
  log: Log;
  ledger: CallLedger;
  routing: Routing;
  /** Limits of channels and their keys. */
  limits: Limits;
  /** Channels of stored responses. */
  storedResponses: StoredResponses;
  /** Files that vendors keep for callers. */
  vendorFiles: VendorFiles;
  /**
   * The address of the files at a channel's vendor, with a path behind it, or without one that of uploads; undefined if it
   * has no such calls.
   */
  filesUrl(api: FilesApi, channel: Channel, behind?: string): string | undefined;
  /** Calls of batches, results and files that the gateway keeps itself. */
  keptParts: KeptParts;
  /** Responses that the gateway keeps itself. */
  keptResponses: KeptResponses;
  /** Texts that callers may refer to in their next call. */
  referencedTexts: ReferencedTexts;
  pricing: Pick<Pricing, 'snapshot' | 'storagePrice' | 'usableGroups' | 'autoGroups' | 'groupRatio'>;
  /** Running requests, for the drain at shutdown. */
  running: Running;
  /** Model requests a user may make. */
  rate: RateLimits;
  /** The first forbidden word in the request; undefined if there is none. */
  forbiddenWord(relayCall: Pick<RelayCall, 'json'>): string | undefined;

  /** Ids of the budgets that apply to a call; undefined if there are none. */
  budgetsOf(call: BudgetedCall): readonly number[] | undefined;
  /** True for a budget that counts tokens. */
  isTokenBudget(id: number): boolean;

  /** Runs of agents, which calls name in a header. */
  runs: Pick<Runs, 'enter' | 'peek'>;

  /** Counts the tokens of a text with a real tokenizer; loaded when first needed (about 60 MB). */
  countTokens: (text: string, model: string) => Promise<number>;
  /** Counts the input of a request exactly, for progress marks and answers without usage. */
  countPrompt(request: CountedRequest): Promise<number>;
  /** Counts the input of a request, and returns an upper bound if it is too long to be counted. */
  boundPrompt(request: CountedRequest): Promise<number>;
  /** Timing of progress marks. */
  markRounds: Rounds;

  /** True if a channel's vendor gets the limit of uses of tools, or none of the tools. */
  canLimitUses(relayCall: RelayCall, channel: Channel): boolean;
  /** The protocol in which a channel's vendor gets a call; undefined if it cannot serve it. */
  vendorProtocol(call: PreparedCall, channel: Channel): ProtocolId | undefined;
  /** Option PreConsumedQuota: minimum of held output tokens, within the caller's own limit. */
  preConsumedTokens(): number;
  /** Option ModelFallbacks: replacements of a model, in order. */
  fallbacksOf(model: string): readonly string[];
  /** Option RequiredTags: the names of the tags that a call by key needs in a group. */
  requiredTags(caller: Caller, group: string): readonly string[];
  /** Option RetryTimes: attempts beyond the first. */
  retryTimes(): number;
  /** Keep-alive interval of streams, 0 when off (option general_setting.ping_interval_enabled). */
  pingEveryMs(): number;
  /** Options LogConsumeEnabled and DataExportEnabled: which rows a settlement writes. */
  logsConsumption(): boolean;
  sumsHourly(): boolean;
  /** Option PaymentRequiredEnabled: the status of errors for lack of quota; undefined if each has its own. */
  billingStatus(): number | undefined;
  /** Option AnswerCacheShare: the charge of a stored answer, in percent of its price. */
  answerCacheShare(): number;
  /** Option SignedReceipts: whether calls note what their receipts say about their answers. */
  bindsAnswers(): boolean;
  /** Option QuotaPerUnit: quota units in a US dollar. */
  unitsPerDollar(): number;
  /** An amount as text, for refusals. */
  showQuota(amount: number): string;
  /** Headers of every answer: the product's name and the request id. */
  identityHeaders(requestId: string): Record<string, string>;
  /** Timeouts before the head and within the body, and the deadline of the whole call (0 for none). */
  timeouts(
    stream: boolean,
    upstreamModel: string,
  ): { headersTimeoutMs: number; bodyTimeoutMs: number; deadlineMs: number };

  /**
   * Creates the upstream call for a channel (relay/bridge). Throws RelayError if the channel cannot serve it. If it has to wait
   * for something and the request ends first, the result is undefined.
   */
  prepare(
    relayCall: PreparedCall,
    channel: Channel,
    cancellation?: Pick<Cancellation, 'signal' | 'unlessCancelled'>,
  ): Promise<UpstreamCall | undefined>;
  /**
   * Set if a call failed because its path is missing, and is repeated in another protocol, as all later ones are. The
   * function reverts that if the other protocol fails too.
   */
  dropRejectedToken(channel: Channel, call: UpstreamCall, error: RelayError): boolean;
  /**
   * Set if a call failed because its path is missing, and is repeated in another protocol, as all later ones are. The
   * function reverts that if the other protocol fails too.
   */
  goesOnTranslated(
    relayCall: RelayCall,
    channel: Channel,
    call: UpstreamCall,
    error: RelayError,
  ): (() => void) | undefined;

  /** The operator's cost of a call in quota units; null if unknown. */
  costOf(call: CostedCall): number | null;
  /** Identifies the costs of calls at a price, or without one: another object once one of them may have changed. */
  costVersion(price: object): object;
  /**
   * Called for each failed attempt, and for a broken answer: health, automatic disabling, statistics. Must not wait.
   *
   * @param asked - The request; its text may be repeated in the error
   */
  onFailure(channel: Channel, error: RelayError, asked: JsonObject): void;
  /** Results of attempts, for the health of channels. */
  attempts: Pick<AttemptCounts, 'attempted'>;
  /** Writes the error row of a call that failed or broke off, if error rows are enabled. Must not wait. */
  onRefused(call: FailedExchange, error: RelayError, failed: FailedTries | undefined): void;
  /** Called after each settlement: low-quota warning, metrics. Must not wait. */
  onSettled(
    relayCall: Pick<RelayCall, 'requestId' | 'trace'> & { caller: Pick<Caller, 'userId' | 'team'> },
    settled: Settled,
    facts: ConsumeFacts,
  ): void;
}

/** Texts of a site's errors. */
export type SiteErrors = Pick<GatewayDeps, 'siteLanguage' | 'billingStatus'>;

/** The limits of model requests. */
export interface RateLimits {
  limiter: ModelLimiter;
  /** The limits of a group; null if they are disabled. */
  limitsOf(group: string): ModelLimits | null;
}

/** Calls `markIfDue` of each answer that was added, several times a second, until it is deleted. */
export interface Rounds {
  add(answer: { markIfDue(): void }): void;
  delete(answer: { markIfDue(): void }): void;
}
