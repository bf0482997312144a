import { isPlausible, product, type ReportedUsage } from '@tollgate/contract';
import { faultPoint } from '../../lib/fault-point.ts';
import type { Http } from '../../lib/outbound/http.ts';
import {
  type AnswerEnd,
  type AnswerPipe,
  type Channel,
  refuse,
  RelayError,
  type UpstreamCall,
} from '../../relay/types/index.ts';
import { ExpiryDue, InsufficientQuota } from '../../services/money/ledger/index.ts';
import { Attempt, type AttemptResult, noAnswer } from '../answer/index.ts';
import {
  type Admission,
  type AttemptRecord,
  Cancellation,
  type EndReason,
  type GatewayDeps,
  hopHeader,
  type RelayCall,
} from '../call/index.ts';
import { channelFailure, type FailoverOutcome } from '../failover/index.ts';
import {
  boundToHold,
  budgetReached,
  type Hold,
  HoldGuard,
  Meter,
  measureProgress,
  type OverriddenCall,
} from '../hold/index.ts';
import { LocalCall, SocketCall } from '../upstream/index.ts';

/**
 * Head of a stream's answer (docs/compatibility.md#steps-of-a-chat-call). The trailer has the cost once it is
 * known.
 */
const streamHead = {
  'cache-control': 'no-cache',
  connection: 'keep-alive',
  'x-accel-buffering': 'no',
  trailer: product.headers.cost,
};

const nothing = Buffer.alloc(0);

/** Facts of a call for the log row, the charge and a disconnecting caller. */
interface UpstreamCallFacts {
  protocol: UpstreamCall['protocol'];
  upstreamModel: string;
  reasoningEffort: string | undefined;
  continuesWithoutCaller: boolean;
}

/**
 * One request between hold and settlement: its attempts, a disconnect of the caller, the control of its cost. There is
 * always exactly one end reason when it is over.
 */
export class Journey {
  readonly relayCall: RelayCall;
  readonly hold: Hold;
  private readonly meter: Meter;
  endReason: EndReason = 'complete';
  /** Facts of the last attempt: upstream model name and effort for the log row. */
  private call: UpstreamCallFacts | undefined;
  attempt: Attempt | undefined;
  /** True while it reads the answer to its end after its caller disconnected. */
  isDraining = false;
  index = -1;
  private channel: Channel | undefined;
  /** The requests of channels with an override, by channel. */
  private overridden: Map<number, OverriddenCall> | undefined;
  private readonly cancellation = new Cancellation();
  private readonly deps: GatewayDeps;
  private readonly guard: HoldGuard;
  /** Headers of the answer: Tollgate's name, the request id, and those of a stream. */
  private readonly headers: { stream: Record<string, string>; whole: Record<string, string> };
  private explained: string | undefined;
  private ledgerFailed: RelayError | undefined;
  /** True if a budget that names a cheaper model refused the hold after the call was sent. */
  private mayStartAgain = false;
  /** Resolves when it is known whether the hold is valid; never rejects. */
  private readonly held: Promise<void>;
  private isHeld = false;
  private keepAlive: NodeJS.Timeout | undefined;

  /**
   * @param explained - Explanation of the choice for a header of the answer; undefined if none is wanted
   */
  constructor(deps: GatewayDeps, relayCall: RelayCall, hold: Hold, explained?: string) {
    this.deps = deps;
    this.relayCall = relayCall;
    this.hold = hold;
    const identity = deps.identityHeaders(relayCall.requestId);
    this.explained = explained;
    this.headers = {
      stream: relayCall.facts.stream ? { ...streamHead, ...identity } : identity,
      whole: identity,
    };
    this.meter = new Meter(relayCall.facts.model, deps.countTokens);
    this.guard = new HoldGuard({
      ledger: deps.ledger,
      requestId: relayCall.requestId,
      hold,
      meter: this.meter,
      progressAt: measureProgress(deps, relayCall, hold),
      markRounds: deps.markRounds,
      now: deps.clock,
      kind: relayCall.facts.media ? 'media' : relayCall.facts.stream ? 'stream' : 'whole',
    });
    this.held = hold.durable.then(
      () => this.openGate(),
      (error: unknown) => this.stopForLedger(error),
    );
    relayCall.res.once('close', () => this.onCallerClosed());
    if (relayCall.guard) relayCall.guard.stop = () => this.end('hook_refused');
    this.startKeepAlive();
  }

  /** Result of the call, for its settlement. */
  outcome(admission: Admission, { channel, result, tries }: FailoverOutcome): Outcome {
    const { relayCall, hold, meter, attempt, endReason, headers } = this;
    const end = plausible(result.end);
    return {
      relayCall,
      sent: this.sentTo(channel),
      admission,
      hold,
      meter,
      channelId: channel.id,
      tries,
      upstreamModel: this.call?.upstreamModel ?? relayCall.facts.model,
      reasoningEffort: this.call?.reasoningEffort,
      firstByteAt: attempt?.firstByteAt ?? 0,
      end,
      reason: endReasonOf(endReason, end),
      ownReason: endReason,
      pipe: attempt?.pipe,
      headers: headers.whole,
    };
  }

  /** A channel's override changes the request for it. */
  sends({ id }: Channel, sent: OverriddenCall): void {
    this.overridden ??= new Map();
    this.overridden.set(id, sent);
  }

  /** The facts of an override in another protocol than the caller's are unknown. */
  private sentTo({ id }: Channel): RelayCall {
    const { relayCall, call, overridden } = this;
    const sent = overridden?.get(id)?.sent;
    if (!sent) return relayCall;
    return call?.protocol === relayCall.inbound.id ? sent : { ...sent, facts: relayCall.facts };
  }

  /** One attempt on one channel. */
  async tryChannel(channel: Channel): Promise<AttemptResult> {
    if (this.ledgerFailed) throw this.ledgerFailed;
    // If the caller disconnected between two attempts, there is no further one.
    if (this.endReason !== 'complete') return { kind: 'stopped', end: noAnswer };
    if (this.relayCall.facts.mostUses) await this.coverUses(channel);
    const affordable = boundToHold(this.relayCall, this.hold, this.overridden?.get(channel.id)?.toHold);
    if (this.relayCall.cached && affordable !== this.relayCall) this.relayCall.cached.isChanged = true;
    const result = await this.ask(affordable, channel);
    if (result.kind !== 'failed' || !result.call) return result;
    // An access token may expire early, and a server may lack a protocol. A call refused for that was not started, and does
    // not count as a failure of the channel yet.
    const { deps, relayCall } = this;
    if (deps.dropRejectedToken(channel, result.call, result.error)) return this.ask(affordable, channel);
    const takeBack = deps.goesOnTranslated(relayCall, channel, result.call, result.error);
    if (!takeBack) return result;
    const translated = await this.ask(affordable, channel);
    if (translated.kind === 'failed') takeBack();
    return translated;
  }

  /** A vendor without a limit on uses of tools is called only if all uses are held. */
  private async coverUses(channel: Channel): Promise<void> {
    const { deps, relayCall, hold } = this;
    const { mostUses } = relayCall.facts;
    if (!mostUses || deps.canLimitUses(relayCall, channel) || (await hold.coverUses(mostUses))) return;
    throw hold.refusal;
  }

  /** No variable here keeps the call in memory while its answer arrives. */
  private async ask(relayCall: RelayCall, channel: Channel): Promise<AttemptResult> {
    return this.send(await this.prepared(relayCall, channel), channel);
  }

  /** Sends the prepared call; undefined if the request ended before. */
  private async send(call: UpstreamCall | RelayError | undefined, channel: Channel): Promise<AttemptResult> {
    if (this.ledgerFailed) throw this.ledgerFailed;
    const { relayCall, deps } = this;
    // The caller may have disconnected, or the process be stopping, since the hold was taken or a file fetched.
    if (relayCall.res.destroyed) this.onCallerClosed();
    if (this.endReason !== 'complete' || !call) return { kind: 'stopped', end: noAnswer };
    if (call instanceof RelayError) return { kind: 'failed', error: call };
    const { protocol, upstreamModel, reasoningEffort, continuesWithoutCaller = false } = call;
    this.call = { protocol, upstreamModel, reasoningEffort, continuesWithoutCaller };
    relayCall.trace?.sends(call);
    if (this.explained !== undefined && this.channel && this.channel !== channel)
      this.explained = `after=${this.channel.id}; ${this.explained}`;
    this.channel = channel;
    if (this.attempt) this.guard.restart();
    const sentAt = deps.clock();
    const attempt = new Attempt(call, {
      client: relayCall.client,
      stream: relayCall.facts.stream,
      headers: withNotes(this.headers, call, channel, this.explained),
      guard: this.guard,
      onHead: (headers) => deps.routing.answeredWith(channel, headers),
      onStarted: () => {
        deps.routing.answeredAfter(channel, deps.clock() - sentAt);
        relayCall.raw = nothing;
      },
      onBalanceEnd: () => this.end(cutReason(this.hold)),
      now: deps.clock,
      confirmResult: (result) => this.confirmResult(result),
    });
    this.attempt = attempt;
    this.launch(attempt, call, channel, deps.http);
    return attempt.result;
  }

  /**
   * An upstream may answer before the hold is on disk. A complete answer is settled together with its hold, in one
   * commit, and nothing is sent before it. For any other answer the delivered part is relevant.
   */
  private async confirmResult(result: AttemptResult): Promise<AttemptResult> {
    const isWhole = result.kind === 'answered' && result.end.outcome === 'complete';
    if (!isWhole && !this.isHeld) await this.held;
    if (this.ledgerFailed) throw this.ledgerFailed;
    return result;
  }

  /** The hold has another price, so it covers another length. */
  priceChanged(): void {
    this.guard.restart();
  }

  /** The call for a channel, or the reason why this channel cannot serve it; undefined if the request ended before. */
  private async prepared(
    relayCall: RelayCall,
    channel: Channel,
  ): Promise<UpstreamCall | RelayError | undefined> {
    try {
      return await this.deps.prepare(relayCall, channel, this.cancellation);
    } catch (error) {
      return channelFailure(error);
    }
  }

  private launch(attempt: Attempt, call: UpstreamCall, channel: Channel, http: Http): void {
    const times = this.deps.timeouts(this.relayCall.facts.stream, call.upstreamModel);
    const { proxy } = channel.setting;
    const own = call.local
      ? new LocalCall(call.local, times.bodyTimeoutMs)
      : call.overSocket && new SocketCall(call, proxy, times);
    call.headers[hopHeader] = '1';
    const outgoing = {
      method: call.method,
      url: call.url,
      headers: call.headers,
      body: call.body,
      scope: 'operator' as const,
      proxy,
      headersTimeoutMs: times.headersTimeoutMs,
      bodyTimeoutMs: times.bodyTimeoutMs,
    };
    attempt.start(http, outgoing, own);
    attempt.endAfter(times.deadlineMs);
  }

  /** Ends the upstream call for a reason of Tollgate's own. */
  end(reason: EndReason): void {
    if (this.endReason === 'complete') this.endReason = reason;
    this.cancellation.cancel();
    this.attempt?.stop(reason);
  }

  private onCallerClosed(): void {
    clearInterval(this.keepAlive);
    if (this.relayCall.res.writableFinished || this.endReason !== 'complete') return;
    this.endReason = 'client_gone';
    this.cancellation.cancel();
    const drains = this.channel?.setting.drain === true || this.call?.continuesWithoutCaller === true;
    if (this.attempt && drains && this.deps.running.takeDrain()) {
      this.isDraining = true;
      this.attempt.drain();
    } else this.attempt?.stop('client_gone');
  }

  /** The hold is durable: bytes may be sent to the caller. */
  private openGate(): void {
    faultPoint('hold-durable');
    this.isHeld = true;
    this.guard.deliver();
    this.relayCall.client.open();
    this.attempt?.noteStart();
  }

  private stopForLedger(cause: unknown): void {
    this.ledgerFailed = holdRefused(this.deps, cause);
    this.mayStartAgain =
      cause instanceof ExpiryDue || (cause instanceof InsufficientQuota && Boolean(cause.budget?.instead));
    this.cancellation.cancel();
    this.attempt?.stop('the hold could not be written');
  }

  private startKeepAlive(): void {
    const every = this.relayCall.facts.stream ? this.deps.pingEveryMs() : 0;
    if (every <= 0) return;
    const { client, inbound } = this.relayCall;
    client.head(200, { ...this.headers.stream, 'content-type': 'text/event-stream' });
    this.keepAlive = setInterval(() => client.ping(inbound.ping), every);
  }

  /**
   * True if the call starts again because its hold was refused late by a budget with a cheaper model, or because credit
   * has expired that is not settled. Nothing was delivered: every byte waits for the hold.
   */
  async restarts(): Promise<boolean> {
    // An extension may be refused before it is known that the hold is.
    await this.held;
    if (!this.mayStartAgain || this.endReason !== 'complete') return false;
    // From now on this journey ignores a caller who leaves.
    this.end('budget_reached');
    this.relayCall.client.reset();
    return true;
  }

  /**
   * True if a call may go on with the cheaper model of a budget that refused a larger hold before anything was delivered.
   * From then on this journey ignores a caller who leaves.
   */
  gives(): boolean {
    if (this.endReason !== 'complete') return false;
    this.end('budget_reached');
    return true;
  }

  /** Waits for the end of its hold, which is released; the next bytes wait for another one. */
  async shutGate(): Promise<void> {
    await this.held;
    this.relayCall.client.shut();
  }

  /** No further keep-alive comments are sent to the caller, and no progress is stored. */
  close(): void {
    this.guard.end();
    clearInterval(this.keepAlive);
  }
}

/** Reason why an answer is cut if its hold cannot grow. */
function cutReason({ ledgerFailed, isAtCeiling, shortBudget }: Hold): EndReason {
  if (ledgerFailed) return 'ledger_unavailable';
  if (shortBudget && !isAtCeiling) return 'budget_reached';
  return isAtCeiling ? 'ceiling_reached' : 'quota_exhausted';
}

/** Error of a failed settlement: that of its hold, if the hold failed. */
export async function settlementFailed({ hold }: Pick<Outcome, 'hold'>, cause: unknown): Promise<never> {
  await hold.durable.catch((ofHold: unknown) => {
    throw holdRefused(hold, ofHold);
  });
  throw cause;
}

/** A hold that was granted in memory but not covered by the rows: another process took the balance meanwhile. */
export function holdRefused(deps: Pick<GatewayDeps, 'showQuota'>, cause: unknown): RelayError {
  if (!(cause instanceof InsufficientQuota)) return refuse('ledger_unavailable');
  if (cause.budget && !cause.isHeld) return budgetReached(deps, cause.budget);
  return refuse(cause.isHeld ? 'quota_held' : 'insufficient_user_quota');
}

type Heads = Record<'stream' | 'whole', Record<string, string>>;

/** Reports in headers what a translation omitted, the fallback model, and the choice of the channel. */
function withNotes(
  heads: Heads,
  { dropped }: UpstreamCall,
  { id, standsInAs }: Channel,
  explained: string | undefined,
): Heads {
  if (dropped.length === 0 && standsInAs === undefined && explained === undefined) return heads;
  const note = {
    ...(dropped.length > 0 && { [product.headers.dropped]: dropped.join(', ') }),
    ...(explained !== undefined && { [product.headers.explain]: `served=${id}; ${explained}` }),
    ...(standsInAs !== undefined && { [product.headers.model]: encodeURI(standsInAs) }),
  };
  return { stream: { ...heads.stream, ...note }, whole: { ...heads.whole, ...note } };
}

/** Result of a call: all facts for its charge, log row and answer. Immutable. */
export interface Outcome {
  readonly relayCall: RelayCall;
  /** The request that the channel got, with its override; otherwise the caller's. */
  readonly sent: RelayCall;
  readonly admission: Admission;
  readonly hold: Hold;
  /** The delivered output. */
  readonly meter: Meter;
  /** The channel that answered. */
  readonly channelId: number;
  readonly tries: readonly AttemptRecord[];
  /** The model's name at the vendor. */
  readonly upstreamModel: string;
  readonly reasoningEffort: string | undefined;
  /** Unix ms of the first byte of the answer; 0 if there was none. */
  readonly firstByteAt: number;
  /** The received end of the answer, without impossible counts. */
  readonly end: AnswerEnd;
  /** End reason of the answer, from Tollgate's own reason and the bytes of the answer. */
  readonly reason: EndReason;
  /** Tollgate's reason for ending it; `complete` if Tollgate did not. */
  readonly ownReason: EndReason;
  /** The reader of the answer, with text that is not counted yet. */
  readonly pipe: Pick<AnswerPipe, 'takeText' | 'isEmpty'> | undefined;
  /** Headers of an answer in one piece. */
  readonly headers: Readonly<Record<string, string>>;
}

/** End reason of an answer, if Tollgate's own reason is `own`. */
function endReasonOf(own: EndReason, end: AnswerEnd): EndReason {
  if (own !== 'complete' || end.outcome === 'complete') return own;
  return end.outcome === 'error' ? 'upstream_error' : 'upstream_broken';
}

/** The end of the answer without impossible usage values. */
function plausible(end: AnswerEnd): AnswerEnd {
  const reported = [end.usage, end.inputUsage];
  if (reported.every((usage) => !usage || isPlausible(usage))) return end;
  return { ...end, usage: orNothing(end.usage), inputUsage: orNothing(end.inputUsage) };
}

const orNothing = (usage: ReportedUsage | undefined): ReportedUsage | undefined =>
  usage && isPlausible(usage) ? usage : undefined;
