import { faultPoint } from '../../lib/fault-point.ts';
import type { Http } from '../../lib/outbound/http.ts';
import { type Channel, type UpstreamCall, refuse, RelayError } from '../../relay/types/index.ts';
import { InsufficientQuota } from '../../services/ledger/index.ts';
import { boundToHold, type Hold, Meter, progressOf, Watch } from '../hold/index.ts';
import { Attempt, type AttemptResult, nothingCame } from '../answer/index.ts';
import { Cancellation, hopHeader, type EndReason, type RelayCall } from '../call/index.ts';
import { channelFailure } from '../failover/index.ts';
import { LocalCall, SocketCall } from '../upstream/index.ts';
import type { JourneyDeps } from './journey-deps.ts';

/**
 * Head of a stream's answer (docs/compatibility.md#steps-of-a-chat-call). The trailer tells the cost once it is
 * known.
 */
const streamHead = {
  'cache-control': 'no-cache',
  connection: 'keep-alive',
  'x-accel-buffering': 'no',
  trailer: 'x-tollgate-cost',
};

/**
 * One request between its hold and its settlement: the attempts, the caller's hang-up, the watch over the balance.
 * Whatever happens, exactly one end reason stands when it is over.
 */
export class Journey {
  readonly relayCall: RelayCall;
  readonly hold: Hold;
  readonly meter: Meter;
  endReason: EndReason = 'complete';
  /** The call of the last attempt: upstream model name and effort for the log row. */
  call: UpstreamCall | undefined;
  attempt: Attempt | undefined;
  /** True while it reads on after its caller hung up. */
  isDraining = false;
  place = -1;
  private channel: Channel | undefined;
  private readonly cancellation = new Cancellation();
  private readonly deps: JourneyDeps;
  private readonly watch: Watch;
  /** Headers of the answer: who we are and which request it is, and what a stream needs. */
  readonly headers: { stream: Record<string, string>; whole: Record<string, string> };
  private ledgerFailed: RelayError | undefined;
  /** Resolves when it is known whether the hold stands; never rejects. */
  private readonly held: Promise<void>;
  private isHeld = false;
  private keepAlive: NodeJS.Timeout | undefined;

  constructor(deps: JourneyDeps, relayCall: RelayCall, hold: Hold) {
    this.deps = deps;
    this.relayCall = relayCall;
    this.hold = hold;
    const identity = deps.identityHeaders(relayCall.requestId);
    this.headers = {
      stream: relayCall.facts.stream ? { ...streamHead, ...identity } : identity,
      whole: identity,
    };
    this.meter = new Meter(relayCall.facts.model, deps.countTokens);
    this.watch = new Watch({
      ledger: deps.ledger,
      requestId: relayCall.requestId,
      hold,
      meter: this.meter,
      progressAt: progressOf(deps, relayCall, hold),
      markRounds: deps.markRounds,
      now: deps.clock,
      kind: relayCall.facts.media ? 'media' : relayCall.facts.stream ? 'stream' : 'whole',
    });
    this.held = hold.durable.then(
      () => this.openGate(),
      (error: unknown) => this.stopForLedger(error),
    );
    relayCall.res.once('close', () => this.callerGone());
    this.startKeepAlive();
  }

  /** Unix ms of the first byte of the answer; 0 when none came. */
  get firstByteAt(): number {
    return this.attempt?.firstByteAt ?? 0;
  }

  /** One try on one channel. */
  async tryChannel(channel: Channel): Promise<AttemptResult> {
    if (this.ledgerFailed) throw this.ledgerFailed;
    // A caller who hung up between two tries needs no further one.
    if (this.endReason !== 'complete') return { kind: 'stopped', end: nothingCame };
    const affordable = boundToHold(this.relayCall, this.hold);
    const call = await this.prepared(affordable, channel);
    const result = await this.send(call, channel);
    if (!call || call instanceof RelayError || result.kind !== 'failed') return result;
    // A token may end before its time. What was refused for it was not begun, and is no failure of the channel yet.
    if (!this.deps.gaveUpToken(channel, call, result.error)) return result;
    return this.send(await this.prepared(affordable, channel), channel);
  }

  /** Sends what was prepared; undefined where the request ended before it. */
  private async send(call: UpstreamCall | RelayError | undefined, channel: Channel): Promise<AttemptResult> {
    if (this.ledgerFailed) throw this.ledgerFailed;
    const { relayCall, deps } = this;
    // The caller may have left, or the process been told to end, while the hold was taken or a file fetched.
    if (relayCall.res.destroyed) this.callerGone();
    if (this.endReason !== 'complete' || !call) return { kind: 'stopped', end: nothingCame };
    if (call instanceof RelayError) return { kind: 'failed', error: call };
    this.call = call;
    relayCall.trace?.sends(call);
    this.channel = channel;
    if (this.attempt) this.watch.restart();
    const attempt = new Attempt({
      call,
      client: relayCall.client,
      stream: relayCall.facts.stream,
      headers: withDropped(this.headers, call),
      watch: this.watch,
      onBalanceEnd: () => this.end('quota_exhausted'),
      now: deps.clock,
      whenSure: (result) => this.whenSure(result),
    });
    this.attempt = attempt;
    this.launch(attempt, call, channel, deps.http);
    return attempt.result;
  }

  /**
   * An upstream may answer before the disk does. A whole answer is settled together with its hold, in one commit before
   * which nothing leaves; of any other it matters what its caller has got.
   */
  private async whenSure(result: AttemptResult): Promise<AttemptResult> {
    const isWhole = result.kind === 'answered' && result.end.outcome === 'complete';
    if (!isWhole && !this.isHeld) await this.held;
    if (this.ledgerFailed) throw this.ledgerFailed;
    return result;
  }

  /** The call for a channel, or why this channel cannot make it; undefined where the request ended before it. */
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

  /** Ends the upstream call for a reason of ours. */
  end(reason: EndReason): void {
    if (this.endReason === 'complete') this.endReason = reason;
    this.cancellation.cancel();
    this.attempt?.stop(reason);
  }

  private callerGone(): void {
    clearInterval(this.keepAlive);
    if (this.relayCall.res.writableFinished || this.endReason !== 'complete') return;
    this.endReason = 'client_gone';
    this.cancellation.cancel();
    const readsOn = this.channel?.setting.drain === true || this.call?.goesOn === true;
    if (this.attempt && readsOn && this.deps.running.takeDrain()) {
      this.isDraining = true;
      this.attempt.drain();
    } else this.attempt?.stop('client_gone');
  }

  /** The hold is durable: bytes may go to the caller. */
  private openGate(): void {
    faultPoint('hold-durable');
    this.isHeld = true;
    this.watch.deliver();
    this.relayCall.client.open();
  }

  private stopForLedger(cause: unknown): void {
    this.ledgerFailed = holdRefused(cause);
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

  /** Nothing more will be sent to the caller by itself. */
  close(): void {
    clearInterval(this.keepAlive);
  }
}

/** Why a settlement failed: because its hold did, where that is so. */
export async function settlementFailed({ hold }: Journey, cause: unknown): Promise<never> {
  await hold.durable.catch((ofHold: unknown) => {
    throw holdRefused(ofHold);
  });
  throw cause;
}

/** A hold that was given in memory and then did not stand on the rows: somebody else took the balance meanwhile. */
const holdRefused = (cause: unknown): RelayError =>
  cause instanceof InsufficientQuota ? refuse('insufficient_user_quota') : refuse('ledger_unavailable');

type Heads = Record<'stream' | 'whole', Record<string, string>>;

/** A translated request tells its caller what was left out of it. */
function withDropped(heads: Heads, { dropped }: UpstreamCall): Heads {
  if (dropped.length === 0) return heads;
  const note = { 'x-tollgate-dropped': dropped.join(', ') };
  return { stream: { ...heads.stream, ...note }, whole: { ...heads.whole, ...note } };
}
