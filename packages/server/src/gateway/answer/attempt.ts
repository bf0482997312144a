import { faultPoint } from '../../lib/fault-point.ts';
import type { AnswerHandler, Controller, Http } from '../../lib/outbound/http.ts';
import { eventEnd, eventsWithin } from '../../lib/sse/index.ts';
import type { AnswerEnd, AnswerPipe, RelayError, UpstreamCall } from '../../relay/types/index.ts';
import { brokenOff, emptyAnswer, unreachable } from './attempt-errors.ts';
import { KeptFrame } from './kept-frame.ts';
import type { ClientStream } from '../call/index.ts';
import type { LocalCall } from '../upstream/index.ts';
import type { Watch } from '../hold/index.ts';

/** How one try on one channel ended. */
export type AttemptResult =
  /** Nothing left for the caller: another channel may be tried. */
  | { kind: 'failed'; error: RelayError }
  /** The upstream answered, well or badly; `end` tells. */
  | { kind: 'answered'; end: AnswerEnd }
  /** We ended it: the caller hung up, the balance ended, the process stops. */
  | { kind: 'stopped'; end: AnswerEnd };

/** What one try on one channel is made with. */
export interface AttemptOptions {
  call: UpstreamCall;
  client: ClientStream;
  stream: boolean;
  /** Headers for the caller beside the content type: of a stream, and of an answer in one piece. */
  headers: { stream: Record<string, string>; whole: Record<string, string> };
  /** Keeps an eye on the cost of what is delivered. */
  watch: Watch;
  /** The balance ended and what was paid for has been delivered. */
  onBalanceEnd(): void;
  now(): number;
  /** The result, once it may be acted upon; or why it may not. */
  whenSure(result: AttemptResult): AttemptResult | Promise<AttemptResult>;
}

/** An error answer longer than this is read no further. */
const maxErrorBytes = 64 * 1024;

/**
 * Headers of an answer that pass to the caller beside Content-Type: those that say something about the answer itself.
 */
const passedHeaders = ['openai-processing-ms', 'openai-version', 'openai-model', 'anthropic-version'];

/**
 * One try on one channel: pushes the upstream's bytes through the protocol's pipe to the caller.
 * An object with methods rather than closures, because a gateway makes thousands of them a second.
 */
export class Attempt implements AnswerHandler {
  readonly result: Promise<AttemptResult>;
  /** When the first byte of a good answer came, in ms of `now`; 0 before. */
  firstByteAt = 0;
  pipe: AnswerPipe | undefined;
  private readonly options: AttemptOptions;
  private resolve!: (result: AttemptResult | Promise<AttemptResult>) => void;
  private controller: Controller | undefined;
  private status = 0;
  private contentType = '';
  private errorChunks: Buffer[] | undefined;
  private errorBytes = 0;
  private isDone = false;
  private deadline: NodeJS.Timeout | undefined;
  private drainOnly = false;
  private isCutting = false;
  /** True while a piece waits to be paid for; what arrives meanwhile waits behind it. */
  private isWaiting = false;
  /** What the answer came to, where its last piece was still to be paid for. */
  private end: AnswerEnd | undefined;
  /** The end of the answer, when it came while a piece waited. */
  private ended: (() => void) | undefined;
  private hasHead = false;
  /** What came before the answer told anything: as long as it is here, another channel may be asked. */
  private readonly frame = new KeptFrame();
  /** What came while a piece waited. */
  private arrived: Buffer[] | undefined;
  /** Of the upstream's headers what passes to the caller; undefined for none. */
  private passed: Record<string, string> | undefined;
  private retryAfter: string | undefined;

  constructor(options: AttemptOptions) {
    this.options = options;
    this.result = new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  /** Sends the call. `local` answers in the process, for providers that need no network. */
  start(http: Http, outgoing: Parameters<Http['dispatch']>[0], local: LocalCall | undefined): void {
    try {
      if (local) local.run(this);
      else http.dispatch(outgoing, this);
    } catch (cause) {
      this.fail(unreachable(cause));
    }
  }

  /** Gives the upstream so long for its whole answer (RELAY_TIMEOUT); 0 for ever. */
  endAfter(ms: number): void {
    if (ms <= 0 || this.isDone) return;
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
    if (status < 200) return;
    this.status = status;
    const type = headers['content-type'];
    this.contentType = (Array.isArray(type) ? type[0] : type) ?? '';
    const wait = headers['retry-after'];
    this.retryAfter = Array.isArray(wait) ? wait[0] : wait;
    if (status >= 300) return;
    faultPoint('head-received');
    this.pipe = this.options.call.openPipe(status, this.contentType);
    this.passed = this.passedHeaders(headers);
  }

  private passedHeaders(
    headers: Record<string, string | string[] | undefined>,
  ): Record<string, string> | undefined {
    if (this.options.stream) return undefined;
    let passed: Record<string, string> | undefined;
    for (const name of passedHeaders) {
      const value = headers[name];
      if (typeof value !== 'string') continue;
      passed ??= {};
      passed[name] = value;
    }
    return passed;
  }

  /** The head for the caller, once the pipe knows what kind of answer it is. */
  private giveHead(pipe: AnswerPipe): void {
    const { client, headers } = this.options;
    const type = pipe.contentType || 'application/json';
    const isStream = type.startsWith('text/event-stream');
    const head = { ...(isStream ? headers.stream : headers.whole) };
    if (this.passed) Object.assign(head, this.passed);
    head['content-type'] = type;
    client.head(200, head);
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    const { pipe } = this;
    if (!pipe) this.gatherError(chunk);
    else if (this.isWaiting) (this.arrived ??= []).push(chunk);
    else this.take(pipe, chunk);
  }

  /** Hands on what came while a piece waited. */
  private takeArrived(): void {
    const { pipe, arrived } = this;
    if (!pipe || !arrived || this.isWaiting || this.isDone) return;
    this.arrived = undefined;
    this.take(pipe, Buffer.concat(arrived));
  }

  private take(pipe: AnswerPipe, chunk: Buffer): void {
    if (this.isDone) return;
    if (this.firstByteAt === 0) this.firstByteAt = this.options.now();
    const { watch } = this.options;
    for (let at = 0; at < chunk.length && !this.isDone;) {
      const left = at === 0 ? chunk : chunk.subarray(at);
      if (this.isWaiting) return void (this.arrived = [left]);
      // Beyond what is surely held for an event is read at a time, so that the answer can be cut behind any of them.
      const end = this.drainOnly ? left.length : eventsWithin(left, watch.room);
      const part = end === left.length ? left : left.subarray(0, end);
      at += end;
      this.read(pipe, part);
      if (pipe.failed) return this.controller?.abort(new Error('the upstream answered with an error'));
    }
  }

  private read(pipe: AnswerPipe, part: Buffer): void {
    this.options.watch.read(pipe, part);
    const passed = pipe.push(part);
    if (passed === undefined || this.drainOnly) return;
    // What came in one read with an error belongs to the answer, unless another channel can still be asked for all of it.
    if (!pipe.failed || this.options.client.started) this.pass(pipe, passed);
  }

  private pass(pipe: AnswerPipe, piece: Buffer): void {
    const { client, watch } = this.options;
    const isKept = pipe.isEmpty && !this.hasHead;
    if (isKept && this.frame.keep(piece, this.options.now() - this.firstByteAt)) return;
    const passed = this.frame.takeWith(piece);
    if (!this.hasHead) {
      this.hasHead = true;
      this.giveHead(pipe);
      watch.begin();
    }
    if (this.isCutting) return this.cut(passed);
    const verdict = watch.admit(pipe);
    if (verdict === 'cut') return this.cut(passed);
    if (verdict !== 'deliver') return this.wait(verdict, () => this.pass(pipe, passed));
    client.push(passed);
    faultPoint('answer-flowing');
  }

  /** Holds a piece back, and the upstream with it, until it is known whether it can be paid for. */
  private wait(known: Promise<void>, then: () => void): void {
    const { client } = this.options;
    this.isWaiting = true;
    client.holdBack();
    void known.then(() => {
      this.isWaiting = false;
      if (this.isDone) return;
      if (!this.drainOnly) then();
      this.takeArrived();
      if (this.isWaiting) return;
      // Only now, or the upstream would say more in each pause than is paid for in it.
      client.goOn();
      this.ended?.();
    });
  }

  /** Ends the stream at the next event boundary: an event is delivered whole or not at all. */
  private cut(passed: Buffer): void {
    const { client } = this.options;
    this.isCutting = true;
    if (!client.endsAtBoundary) {
      const end = eventEnd(passed);
      if (end < 0) return client.push(passed);
      client.push(passed.subarray(0, end));
    }
    this.options.onBalanceEnd();
  }

  private gatherError(chunk: Buffer): void {
    this.errorBytes += chunk.length;
    (this.errorChunks ??= []).push(chunk);
    if (this.errorBytes > maxErrorBytes) this.controller?.abort(new Error('the error answer is too long'));
  }

  onResponseEnd(): void {
    if (this.isWaiting) this.ended = () => this.onResponseEnd();
    if (this.isWaiting || this.isDone) return;
    if (!this.pipe) return this.fail(this.readError());
    this.answer(this.pipe.end(false));
  }

  onResponseError(controller: Controller, cause: Error): void {
    if (this.isWaiting) this.ended = () => this.onResponseError(controller, cause);
    if (this.isWaiting || this.isDone) return;
    if (this.pipe) return this.answer(this.pipe.end(true));
    if (this.status >= 300) return this.fail(this.readError());
    this.fail(unreachable(cause));
  }

  private readError(): RelayError {
    const body = Buffer.concat(this.errorChunks ?? []);
    return this.options.call.readError(this.status, this.contentType, body, this.retryAfter);
  }

  /** A pipe's end: an answer that was an error before anything left is a failure of the channel, not an answer. */
  private answer(ended: AnswerEnd): void {
    const end = this.judged(ended);
    if (end.outcome !== 'complete' && !this.options.client.started) {
      this.options.client.reset();
      return this.fail(end.error ?? brokenOff());
    }
    if (this.pipe && !this.hasHead) this.giveHead(this.pipe);
    this.hasHead = true;
    const tail = end.outcome === 'complete' && end.tail ? this.frame.takeWith(end.tail) : end.tail;
    this.admitEnd(tail === end.tail ? end : { ...end, tail });
  }

  /** An answer that came whole and told nothing, not even a usage, is none. */
  private judged(end: AnswerEnd): AnswerEnd {
    if (end.outcome !== 'complete' || end.usage || !this.pipe?.isEmpty) return end;
    return { ...end, outcome: 'error', tail: undefined, error: emptyAnswer() };
  }

  /** The end may have output in it, and of an answer in one piece has all of it: it is held for like any piece. */
  private admitEnd(end: AnswerEnd): void {
    const verdict =
      this.pipe && end.outcome === 'complete' && !this.drainOnly
        ? this.options.watch.admitEnd(this.pipe, end)
        : 'deliver';
    if (verdict === 'deliver') return this.done({ kind: 'answered', end });
    this.end = { ...end, outcome: 'truncated', tail: undefined };
    if (verdict === 'cut') return this.options.onBalanceEnd();
    this.wait(verdict, () => this.admitEnd(end));
  }

  private fail(error: RelayError): void {
    this.done({ kind: 'failed', error });
  }

  private done(result: AttemptResult): void {
    if (this.isDone) return;
    this.isDone = true;
    clearTimeout(this.deadline);
    this.options.client.follow(undefined);
    this.resolve(this.options.whenSure(result));
  }

  /** Ends the upstream call now; what the pipe has read so far counts. */
  stop(reason: string): void {
    if (this.isDone) return;
    const end = this.end ??
      this.pipe?.end(true) ?? {
        outcome: 'truncated',
        tail: undefined,
        usage: undefined,
        error: undefined,
      };
    this.done({ kind: 'stopped', end });
    this.controller?.abort(new Error(reason));
  }

  /** Reads on without a caller, to learn the usage. */
  drain(): void {
    this.drainOnly = true;
    this.options.client.follow(undefined);
    this.controller?.resume();
  }
}
