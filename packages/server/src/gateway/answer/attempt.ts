import { faultPoint } from '../../lib/fault-point.ts';
import type { AnswerHandler, Controller, Http } from '../../lib/outbound/http.ts';
import { timeoutAfterReads } from '../../lib/processes/timeout-after-reads.ts';
import { eventEnd, eventsWithin } from '../../lib/sse/index.ts';
import type { AnswerEnd, AnswerPipe, RelayError, UpstreamCall } from '../../relay/types/index.ts';
import type { ClientStream } from '../call/index.ts';
import type { HoldGuard } from '../hold/index.ts';
import {
  AnswerFlow,
  brokenOff,
  emptyAsError,
  type GatewayHeaders,
  headFor,
  noAnswer,
  notDelivered,
  readHead,
  readRefusal,
  RefusalBody,
  SafePipe,
  unreachable,
  type UpstreamHead,
} from './answer.ts';

/** Maximum of stored bytes before the first content: those of a vendor are a few hundred. */
const maxBytes = 64 * 1024;
/**
 * Maximum time for which they are kept: comments that a vendor sends while a model thinks keep the caller's connection
 * open.
 */
const maxMs = 5_000;

/**
 * Output of an upstream before the first content: a role, an id, comments. It is kept until then, so that an upstream
 * without content has delivered nothing.
 */
class AnswerPreamble {
  private pieces: Buffer[] | undefined;
  private bytes = 0;

  /** Stores a piece that arrived `ms` after the first one; false if no more is stored. */
  keep(piece: Buffer, ms: number): boolean {
    if (ms > maxMs || this.bytes + piece.length > maxBytes) return false;
    this.bytes += piece.length;
    (this.pieces ??= []).push(piece);
    return true;
  }

  /** The stored output, followed by `piece`. */
  takeWith(piece: Buffer): Buffer {
    const { pieces } = this;
    if (!pieces) return piece;
    this.pieces = undefined;
    return Buffer.concat([...pieces, piece]);
  }
}

/** A call that is not made over HTTP, with the same events. */
interface NonHttpCall {
  run(handler: AnswerHandler): void;
}

/**
 * One attempt on one channel: pushes the upstream's bytes through the protocol's pipe to the caller. Only its flow has
 * the state of the answer; each of the other fields is used in one of these states. An object with methods rather than
 * closures, because a gateway creates thousands of them a second.
 */
export class Attempt implements AnswerHandler {
  readonly result: Promise<AttemptResult>;
  /** Time of the first byte of a successful answer, in ms of `now`; 0 before. */
  firstByteAt = 0;
  pipe: AnswerPipe | undefined;
  private readonly flow = new AnswerFlow();
  private readonly options: AttemptOptions;
  /** Undefined once a part of the answer was sent: no other attempt follows then. */
  private call: UpstreamCall | undefined;
  private resolve!: (result: Promise<AttemptResult>) => void;
  private controller: Controller | undefined;
  private cancelDeadline: (() => void) | undefined;
  private head: UpstreamHead | undefined;
  /** In state refused: the body of the error answer. */
  private refusal: RefusalBody | undefined;
  /** In state opening: bytes that arrived before any content. */
  private readonly preamble = new AnswerPreamble();
  /** In state waiting: bytes that arrived meanwhile, and how the upstream ended if it has. */
  private arrived: Buffer[] | undefined;
  private ended: { cause: Error | undefined } | undefined;
  /** In state closing: the end of the answer, which waits for the hold. */
  private waitingEnd: AnswerEnd | undefined;

  constructor(call: UpstreamCall, options: AttemptOptions) {
    this.call = call;
    this.options = options;
    this.result = new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  /** Sends the call; by `nonHttp` if it is made in the process or over a socket. */
  start(http: Http, outgoing: Parameters<Http['dispatch']>[0], nonHttp: NonHttpCall | undefined): void {
    try {
      if (nonHttp) nonHttp.run(this);
      else http.dispatch(outgoing, this);
    } catch (cause) {
      this.fail(unreachable(cause));
    }
  }

  /** Aborts the call unless the whole answer has arrived after `ms` (RELAY_TIMEOUT); 0 for no limit. */
  endAfter(ms: number): void {
    if (ms <= 0 || this.flow.isOver) return;
    this.cancelDeadline = timeoutAfterReads(ms, () =>
      this.controller?.abort(new Error('the upstream took too long')),
    );
  }

  onRequestStart(controller: Controller): void {
    faultPoint('upstream-asked');
    this.controller = controller;
    this.options.client.follow(controller);
  }

  onResponseStart(
    _controller: Controller,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    const isGood = status < 300;
    if (status < 200 || !this.flow.take(isGood ? 'head' : 'refusal')) return;
    this.head = readHead(status, headers, this.options.stream);
    if (!isGood) return;
    this.options.onHead(headers);
    faultPoint('head-received');
    this.options.client.bound?.begin();
    const pipe = this.call?.openPipe(status, this.head.contentType);
    this.pipe = pipe && new SafePipe(pipe);
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    const { pipe } = this;
    if (!pipe) this.gatherRefusal(chunk);
    else if (this.flow.state === 'waiting') (this.arrived ??= []).push(chunk);
    else this.take(pipe, chunk);
  }

  private gatherRefusal(chunk: Buffer): void {
    this.refusal ??= new RefusalBody();
    if (!this.refusal.add(chunk)) this.controller?.abort(new Error('the error answer is too long'));
  }

  private take(pipe: AnswerPipe, chunk: Buffer): void {
    const { flow, options } = this;
    if (flow.isOver) return;
    if (this.firstByteAt === 0) this.firstByteAt = options.now();
    for (let at = 0; at < chunk.length && !flow.isOver;) {
      const left = at === 0 ? chunk : chunk.subarray(at);
      if (flow.state === 'waiting') return void (this.arrived = [left]);
      // Beyond the certainly covered part, one event is read at a time, so that the answer can be cut after each.
      const end =
        flow.state === 'draining' ? left.length : eventsWithin(left, options.guard.roomIn(pipe, left));
      const part = end === left.length ? left : left.subarray(0, end);
      at += end;
      this.read(pipe, part);
      if (pipe.failed) return this.controller?.abort(new Error('the upstream answered with an error'));
    }
  }

  private read(pipe: AnswerPipe, part: Buffer): void {
    this.options.guard.read(pipe, part);
    this.options.client.bound?.received(part);
    const passed = pipe.push(part);
    if (passed === undefined || this.flow.state === 'draining') return;
    // Content that arrived in one read with an error belongs to the answer, unless another channel can still be tried.
    if (!pipe.failed || this.options.client.started) this.pass(pipe, passed);
  }

  private pass(pipe: AnswerPipe, piece: Buffer): void {
    const { flow } = this;
    const { client, guard } = this.options;
    const isOpening = flow.state === 'opening';
    if (isOpening && pipe.isEmpty && this.preamble.keep(piece, this.options.now() - this.firstByteAt)) return;
    const passed = this.preamble.takeWith(piece);
    if (isOpening) {
      this.begin(pipe);
      guard.begin();
    }
    if (flow.state === 'cutting') return this.cut(passed);
    const verdict = guard.admit(pipe);
    if (verdict === 'deliver') {
      client.push(passed);
      this.noteStart();
      faultPoint('answer-flowing');
    } else if (verdict === 'cut') {
      flow.take('cut');
      this.cut(passed);
    } else this.wait(pipe, passed, verdict);
  }

  /**
   * Called after each piece that was delivered. Once one was sent to the caller no other attempt follows; a stream may
   * last for minutes from then on, so its request is released from memory.
   */
  noteStart(): void {
    if (!this.call || !this.options.client.started) return;
    this.call = undefined;
    this.options.onStarted();
  }

  /** The head for the caller, now that the pipe knows what kind of answer it is. */
  private begin(pipe: AnswerPipe): void {
    const { client, headers } = this.options;
    this.flow.take('begin');
    client.head(200, headFor(pipe.contentType, headers, this.head?.passed));
  }

  /** Holds a piece back, and pauses the upstream, until it is known whether the hold covers it. */
  private wait(pipe: AnswerPipe, piece: Buffer, grown: Promise<void>): void {
    this.flow.take('piece-unpaid');
    this.options.client.pauseForHold();
    this.afterHoldGrowth(grown, () => {
      this.pass(pipe, piece);
      this.catchUp();
    });
  }

  /** Continues when the hold has grown or cannot grow. An exception has no caller then, so it ends this attempt. */
  private afterHoldGrowth(grown: Promise<void>, resume: () => void): void {
    grown
      .then(() => {
        if (this.flow.take('paid')) resume();
      })
      .catch((fault: unknown) => this.stop(String(fault)));
  }

  /** Handles what the upstream sent while a piece waited. */
  private catchUp(): void {
    const { flow, pipe, arrived } = this;
    if (pipe && arrived && flow.state !== 'waiting') {
      this.arrived = undefined;
      this.take(pipe, Buffer.concat(arrived));
    }
    if (flow.state === 'waiting') return;
    // Only now: otherwise the upstream would send more in each pause than the hold covers.
    this.options.client.resumeFromHold();
    if (this.ended) this.upstreamEnded(this.ended.cause);
  }

  /** Ends the stream at the next event boundary: an event is delivered whole or not at all. */
  private cut(passed: Buffer): void {
    const { client } = this.options;
    if (!client.endsAtBoundary) {
      const end = eventEnd(passed);
      if (end < 0) return client.push(passed);
      client.push(passed.subarray(0, end));
    }
    this.options.onBalanceEnd();
  }

  onResponseEnd(): void {
    this.upstreamEnded(undefined);
  }

  onResponseError(_controller: Controller, cause: Error): void {
    this.upstreamEnded(cause);
  }

  /** The upstream has sent everything; `cause` if it broke off. */
  private upstreamEnded(cause: Error | undefined): void {
    const { state, isOver } = this.flow;
    if (isOver || state === 'closing') return;
    if (state === 'waiting') this.ended = { cause };
    else if (state === 'cutting') this.options.onBalanceEnd();
    else if (this.pipe) this.close(this.pipe, this.pipe.end(cause !== undefined));
    else this.fail(state === 'refused' ? this.refused() : unreachable(cause));
  }

  private refused(): RelayError {
    return this.call ? readRefusal(this.call, this.head, this.refusal) : brokenOff();
  }

  /** The end of a pipe: an error before anything was sent is a failure of the channel, not an answer. */
  private close(pipe: AnswerPipe, ended: AnswerEnd): void {
    const end = emptyAsError(pipe, ended);
    if (end.outcome !== 'complete' && !this.options.client.started) {
      this.options.client.reset();
      return this.fail(end.error ?? brokenOff());
    }
    if (this.flow.state === 'opening') this.begin(pipe);
    const tail = end.outcome === 'complete' && end.tail ? this.preamble.takeWith(end.tail) : end.tail;
    this.admitEnd(pipe, tail === end.tail ? end : { ...end, tail });
  }

  /** The end may contain output, and all of it for an answer in one piece: it is held for like any piece. */
  private admitEnd(pipe: AnswerPipe, end: AnswerEnd): void {
    const isDelivered = end.outcome === 'complete' && this.flow.state !== 'draining';
    const verdict = isDelivered ? this.options.guard.admitEnd(pipe, end) : 'deliver';
    if (verdict === 'deliver') return this.answered(end);
    this.flow.take('end-unpaid');
    this.waitingEnd = end;
    if (verdict === 'cut') return this.options.onBalanceEnd();
    this.afterHoldGrowth(verdict, () => this.admitEnd(pipe, end));
  }

  private answered(end: AnswerEnd): void {
    this.flow.take(end.outcome === 'complete' ? 'complete' : 'break');
    this.done({ kind: 'answered', end });
  }

  private fail(error: RelayError): void {
    if (this.flow.isOver) return;
    this.flow.take('fail');
    this.done({ kind: 'failed', error, call: this.call });
  }

  private done(result: AttemptResult): void {
    this.cancelDeadline?.();
    this.options.client.follow(undefined);
    this.resolve(this.options.confirmResult(result));
  }

  /** Ends the upstream call now; what the pipe has read so far counts. */
  stop(reason: string): void {
    if (!this.flow.take('stop')) return;
    // An end that the hold does not cover is not delivered, but its reported usage is known.
    const end = this.waitingEnd
      ? { ...this.waitingEnd, ...notDelivered }
      : (this.pipe?.end(true) ?? noAnswer);
    this.done({ kind: 'stopped', end });
    this.controller?.abort(new Error(reason));
  }

  /** Reads to the end without a caller, for the reported usage. */
  drain(): void {
    const { flow, waitingEnd } = this;
    if (flow.isOver) return;
    this.options.client.follow(undefined);
    this.controller?.resume();
    if (!flow.take('leave')) return;
    if (waitingEnd) this.answered(waitingEnd);
    else this.catchUp();
  }
}

/** Result of one attempt on one channel. */
export type AttemptResult =
  /** Nothing was sent to the caller: another channel may be tried. `call` is the failed call, if one was sent. */
  | { kind: 'failed'; error: RelayError; call?: UpstreamCall | undefined }
  /** The upstream answered, completely or not, as `end` shows. */
  | { kind: 'answered'; end: AnswerEnd }
  /** Tollgate ended it: the caller disconnected, the balance ended, the process stops. */
  | { kind: 'stopped'; end: AnswerEnd };

/** The parts of one attempt on one channel. */
interface AttemptOptions {
  client: ClientStream;
  stream: boolean;
  /** Headers for the caller beside the content type. */
  headers: GatewayHeaders;
  /** Delivers only what the hold covers. */
  guard: HoldGuard;
  /** Called with the headers of a good answer. */
  onHead(headers: Record<string, string | string[] | undefined>): void;
  /** Called when a part of the answer was sent: no other attempt follows. */
  onStarted(): void;
  /** Called when the balance has ended and what was paid for has been delivered. */
  onBalanceEnd(): void;
  now(): number;
  /** The result, once it is known whether the hold is valid; rejects if it is not. */
  confirmResult(result: AttemptResult): Promise<AttemptResult>;
}
