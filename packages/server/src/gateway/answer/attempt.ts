import { faultPoint } from '../../lib/fault-point.ts';
import type { AnswerHandler, Controller, Http } from '../../lib/outbound/http.ts';
import { eventEnd, eventsWithin } from '../../lib/sse/index.ts';
import type { AnswerEnd, AnswerPipe, RelayError, UpstreamCall } from '../../relay/types/index.ts';
import { AnswerFlow } from './answer-flow.ts';
import { headFor, readHead, type UpstreamHead } from './answer-head.ts';
import type { AttemptOptions, AttemptResult } from './attempt-options.ts';
import { brokenOff, judged, noAnswer, notDelivered, unreachable } from './answer-end.ts';
import { KeptFrame } from './kept-frame.ts';
import { readRefusal, RefusalBody } from './refusal-body.ts';
import { SafePipe } from './safe-pipe.ts';

/** A call that is made otherwise than over HTTP, and told as if it were. */
interface OwnCall {
  run(handler: AnswerHandler): void;
}

/**
 * One try on one channel: pushes the upstream's bytes through the protocol's pipe to the caller. Where the answer stands
 * is the business of its flow alone; what is kept beside it belongs to one of its states.
 * An object with methods rather than closures, because a gateway makes thousands of them a second.
 */
export class Attempt implements AnswerHandler {
  readonly result: Promise<AttemptResult>;
  /** When the first byte of a good answer came, in ms of `now`; 0 before. */
  firstByteAt = 0;
  pipe: AnswerPipe | undefined;
  private readonly flow = new AnswerFlow();
  private readonly options: AttemptOptions;
  /** Gone once a part of the answer has left: no other try follows then. */
  private call: UpstreamCall | undefined;
  private resolve!: (result: Promise<AttemptResult>) => void;
  private controller: Controller | undefined;
  private deadline: NodeJS.Timeout | undefined;
  private head: UpstreamHead | undefined;
  /** Refused: why. */
  private refusal: RefusalBody | undefined;
  /** Opening: what came before the answer told anything. */
  private readonly frame = new KeptFrame();
  /** Waiting: what came meanwhile, and how the upstream ended where it has. */
  private arrived: Buffer[] | undefined;
  private ended: { cause: Error | undefined } | undefined;
  /** Closing: the end that waits. */
  private last: AnswerEnd | undefined;

  constructor(call: UpstreamCall, options: AttemptOptions) {
    this.call = call;
    this.options = options;
    this.result = new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  /** Sends the call. `own` carries it where that is no HTTP: in the process, or over a socket. */
  start(http: Http, outgoing: Parameters<Http['dispatch']>[0], own: OwnCall | undefined): void {
    try {
      if (own) own.run(this);
      else http.dispatch(outgoing, this);
    } catch (cause) {
      this.fail(unreachable(cause));
    }
  }

  /** Gives the upstream so long for its whole answer (RELAY_TIMEOUT); 0 for ever. */
  endAfter(ms: number): void {
    if (ms <= 0 || this.flow.isOver) return;
    this.deadline = setTimeout(() => this.controller?.abort(new Error('the upstream took too long')), ms);
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
    faultPoint('head-received');
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
      // Beyond what is surely held for, an event is read at a time, so that the answer can be cut behind any of them.
      const end =
        flow.state === 'draining' ? left.length : eventsWithin(left, options.watch.roomIn(pipe, left));
      const part = end === left.length ? left : left.subarray(0, end);
      at += end;
      this.read(pipe, part);
      if (pipe.failed) return this.controller?.abort(new Error('the upstream answered with an error'));
    }
  }

  private read(pipe: AnswerPipe, part: Buffer): void {
    this.options.watch.read(pipe, part);
    const passed = pipe.push(part);
    if (passed === undefined || this.flow.state === 'draining') return;
    // What came in one read with an error belongs to the answer, unless another channel can still be asked for all of it.
    if (!pipe.failed || this.options.client.started) this.pass(pipe, passed);
  }

  private pass(pipe: AnswerPipe, piece: Buffer): void {
    const { flow } = this;
    const { client, watch } = this.options;
    const isOpening = flow.state === 'opening';
    if (isOpening && pipe.isEmpty && this.frame.keep(piece, this.options.now() - this.firstByteAt)) return;
    const passed = this.frame.takeWith(piece);
    if (isOpening) {
      this.begin(pipe);
      watch.begin();
    }
    if (flow.state === 'cutting') return this.cut(passed);
    const verdict = watch.admit(pipe);
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
   * A piece was let out. Once one has left for the caller no other try follows; a stream may last for minutes from there, and
   * its request does not stay in memory for so long.
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

  /** Holds a piece back, and the upstream with it, until it is known whether it can be paid for. */
  private wait(pipe: AnswerPipe, piece: Buffer, known: Promise<void>): void {
    this.flow.take('piece-unpaid');
    this.options.client.holdBack();
    this.whenPaid(known, () => {
      this.pass(pipe, piece);
      this.catchUp();
    });
  }

  /** Goes on when a verdict is known. What is thrown then, nobody above would hear of: it ends this try. */
  private whenPaid(known: Promise<void>, goOn: () => void): void {
    known
      .then(() => {
        if (this.flow.take('paid')) goOn();
      })
      .catch((fault: unknown) => this.stop(String(fault)));
  }

  /** Does what the upstream did while a piece waited. */
  private catchUp(): void {
    const { flow, pipe, arrived } = this;
    if (pipe && arrived && flow.state !== 'waiting') {
      this.arrived = undefined;
      this.take(pipe, Buffer.concat(arrived));
    }
    if (flow.state === 'waiting') return;
    // Only now, or the upstream would say more in each pause than is paid for in it.
    this.options.client.goOn();
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

  /** The upstream has nothing more to say; `cause` where it broke off. */
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

  /** A pipe's end: an answer that was an error before anything left is a failure of the channel, not an answer. */
  private close(pipe: AnswerPipe, ended: AnswerEnd): void {
    const end = judged(pipe, ended);
    if (end.outcome !== 'complete' && !this.options.client.started) {
      this.options.client.reset();
      return this.fail(end.error ?? brokenOff());
    }
    if (this.flow.state === 'opening') this.begin(pipe);
    const tail = end.outcome === 'complete' && end.tail ? this.frame.takeWith(end.tail) : end.tail;
    this.admitEnd(pipe, tail === end.tail ? end : { ...end, tail });
  }

  /** The end may have output in it, and of an answer in one piece has all of it: it is held for like any piece. */
  private admitEnd(pipe: AnswerPipe, end: AnswerEnd): void {
    const isDelivered = end.outcome === 'complete' && this.flow.state !== 'draining';
    const verdict = isDelivered ? this.options.watch.admitEnd(pipe, end) : 'deliver';
    if (verdict === 'deliver') return this.answered(end);
    this.flow.take('end-unpaid');
    this.last = end;
    if (verdict === 'cut') return this.options.onBalanceEnd();
    this.whenPaid(verdict, () => this.admitEnd(pipe, end));
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
    clearTimeout(this.deadline);
    this.options.client.follow(undefined);
    this.resolve(this.options.whenSure(result));
  }

  /** Ends the upstream call now; what the pipe has read so far counts. */
  stop(reason: string): void {
    if (!this.flow.take('stop')) return;
    // An end that was not paid for is not delivered, but what it reports is known.
    const end = this.last ? { ...this.last, ...notDelivered } : (this.pipe?.end(true) ?? noAnswer);
    this.done({ kind: 'stopped', end });
    this.controller?.abort(new Error(reason));
  }

  /** Reads on without a caller, to learn the usage. */
  drain(): void {
    const { flow, last } = this;
    if (flow.isOver) return;
    this.options.client.follow(undefined);
    this.controller?.resume();
    if (!flow.take('leave')) return;
    if (last) this.answered(last);
    else this.catchUp();
  }
}
