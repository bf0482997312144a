import { EventEmitter } from 'node:events';
import { parseObject } from '../../lib/json.ts';
import { SseScanner } from '../../lib/sse/index.ts';
import { callerProtocol } from '../../relay/protocols.ts';
import {
  type ChatEvent,
  type ChatStreamReader,
  type ChatStreamWriter,
  refuse,
  type RelayError,
} from '../../relay/types/index.ts';
import type { AnswerSink, RelayCall } from '../call/index.ts';
import { answerTexts, eventTexts, lengthOf, streamTexts, type TextSlot } from './texts.ts';

/** How an answer is checked. */
export interface GuardedSinkOptions {
  /** Characters of a stream that are checked together; 0 to pass a stream on unchecked. */
  window: number;
  /** Checks texts and replaces them; resolves to the error of the call if they are refused. */
  check(slots: TextSlot[], context: string): Promise<RelayError | undefined>;
  /** Called with the text of an answer after its end. Must not wait. */
  onDelivered(text: string): void;
  /** Ends the call for a refusal, unless it is over. */
  stop(): void;
  /** Writes the error of a refusal to the caller, after `last`, and its log row. */
  refuse(error: RelayError, last: Buffer | undefined): void;
}

/** Bytes of an answer in one piece, and characters of a delivered stream that are remembered. */
const maxBytes = 64 * 1024 * 1024;
const maxSaid = 1024 * 1024;
/** Unchecked characters above which the upstream is paused. */
const maxWaiting = 256 * 1024;

/**
 * Takes an answer like a response and gives it to the caller only once the hooks have allowed it: whole, or a stream in
 * windows. A checked stream is written anew from its events, so that it stays valid with replaced texts.
 */
export class GuardedSink extends EventEmitter implements AnswerSink {
  headersSent = false;
  writableEnded = false;
  destroyed = false;
  private readonly call: RelayCall;
  private readonly res: AnswerSink;
  private readonly options: GuardedSinkOptions;
  private mode: 'pass' | 'events' | 'whole' = 'pass';
  private head: { status: number; headers: Record<string, string> } = { status: 0, headers: {} };
  private trailers: Record<string, string> = {};
  private readonly scanner = new SseScanner();
  private readonly reader: ChatStreamReader | undefined;
  private readonly writer: ChatStreamWriter | undefined;
  /** Events, and their characters, that are not checked yet. */
  private waiting: ChatEvent[] = [];
  private length = 0;
  private isChecking = false;
  private isBlocked = false;
  private refused: RelayError | undefined;
  private failure: RelayError | undefined;
  private said = '';
  private last: Buffer | undefined;
  private parts: Buffer[] = [];
  private bytes = 0;
  private readonly over = Promise.withResolvers<void>();

  constructor(call: RelayCall, options: GuardedSinkOptions) {
    super();
    this.call = call;
    this.res = call.res;
    this.options = options;
    const codec = call.facts.stream ? callerProtocol(call.inbound.id)?.codec : undefined;
    this.reader = codec?.openReader();
    this.writer = codec?.openWriter({
      showUsage: call.facts.wantsStreamUsage,
      fallback: {
        requestId: call.requestId,
        model: call.facts.model,
        createdSeconds: Math.floor(call.startedAt / 1000),
      },
      request: call.json,
      kept: call.facts.kept,
    });
    this.res.once('close', () => this.close());
  }

  get writableFinished(): boolean {
    return this.res.writableFinished;
  }

  /** Resolves when the caller has got the end, or has left. */
  get done(): Promise<void> {
    return this.over.promise;
  }

  private close(): void {
    if (!this.destroyed && !this.writableEnded && this.said !== '') this.options.onDelivered(this.said);
    this.destroyed = true;
    this.emit('close');
    this.over.resolve();
  }

  writeHead(status: number, headers: Record<string, string>): void {
    this.headersSent = true;
    this.head = { status, headers };
    const { stream } = this.call.facts;
    // Errors, and a stream that is only reported, pass.
    if (status !== 200 || (stream && this.options.window === 0)) this.mode = 'pass';
    else this.mode = this.writer ? 'events' : 'whole';
    if (this.mode !== 'whole') this.res.writeHead(status, headers);
  }

  write(chunk: Buffer): boolean {
    if (this.refused) return true;
    if (this.mode === 'pass') {
      this.remember(chunk);
      return this.send(chunk);
    }
    // A comment that keeps the connection open has no text.
    if (this.mode === 'events' && chunk === this.call.inbound.ping) return this.send(chunk);
    this.take(chunk);
    if (this.mode === 'events') this.check(this.step());
    return !this.isBlocked && !(this.isChecking && this.length > maxWaiting);
  }

  private send(chunk: Buffer): boolean {
    if (chunk.length === 0 || this.destroyed) return true;
    this.last = chunk;
    if (this.res.write(chunk)) return true;
    if (!this.isBlocked) {
      this.isBlocked = true;
      this.res.once('drain', () => {
        this.isBlocked = false;
        this.emit('drain');
      });
    }
    return false;
  }

  private take(chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.mode === 'whole') this.parts.push(chunk);
    else this.guard(() => this.read(this.scanner.push(chunk)));
  }

  /** What cannot be read is not delivered. */
  private guard(work: () => void): void {
    try {
      work();
    } catch (cause) {
      this.refuse(refuse('hook_failed', {}, { cause }));
    }
  }

  private check(work: Promise<void>): void {
    work.catch((cause: unknown) => this.refuse(refuse('hook_failed', {}, { cause })));
  }

  private read(events: ReturnType<SseScanner['push']>): void {
    for (const event of events) this.reader?.read(event, (each) => this.queue(each));
  }

  private queue(event: ChatEvent): void {
    if (event.type === 'error') this.failure ??= event.error;
    else if (event.type !== 'made') {
      this.waiting.push(event);
      this.length += lengthOf(event);
    }
  }

  /** The text of a stream that passes, for its report. */
  private remember(chunk: Buffer): void {
    if (!this.reader || this.head.status !== 200) return;
    try {
      for (const event of this.scanner.push(chunk)) this.reader.read(event, (each) => this.say(each));
    } catch {
      // It passes in any case; the report has what could be read.
    }
  }

  private say(event: ChatEvent): void {
    if ('text' in event && this.said.length < maxSaid) this.said += event.text;
  }

  /** Checks the events that are due, and sends those that are allowed. */
  private async step(): Promise<void> {
    if (this.isChecking || this.refused) return;
    this.isChecking = true;
    while (this.waiting.length > 0 && (this.writableEnded || this.length >= this.options.window)) {
      const events = this.waiting;
      this.waiting = [];
      this.length = 0;
      const slots = eventTexts(events);
      const error = slots.length > 0 ? await this.options.check(slots, this.context()) : undefined;
      if (this.destroyed) return;
      if (error) return this.refuse(error);
      for (const event of events) this.say(event);
      this.send(Buffer.from(events.map((event) => this.writer!.write(event)).join('')));
    }
    this.isChecking = false;
    if (this.writableEnded) this.finish();
    else if (!this.isBlocked) this.emit('drain');
  }

  private context(): string {
    return this.said.slice(-this.options.window);
  }

  private finish(): void {
    const { inbound, requestId } = this.call;
    const tail = this.failure
      ? inbound.writeStreamError(this.failure, requestId, this.last)
      : Buffer.from(this.writer!.end());
    if (this.head.headers['trailer'] !== undefined) this.res.addTrailers(this.trailers);
    this.res.end(tail);
    this.delivered();
  }

  private delivered(): void {
    if (this.said !== '') this.options.onDelivered(this.said);
    this.over.resolve();
  }

  /** Nothing more is delivered. The error follows when the call is settled. */
  private refuse(error: RelayError): void {
    if (this.refused) return;
    this.refused = error;
    this.waiting = [];
    this.parts = [];
    if (this.writableEnded) this.sendRefusal();
    else {
      this.options.stop();
      this.emit('drain');
    }
  }

  private sendRefusal(): void {
    // The part before it was delivered.
    if (this.said !== '') this.options.onDelivered(this.said);
    if (!this.destroyed) this.options.refuse(this.refused!, this.last);
    this.over.resolve();
  }

  addTrailers(trailers: Record<string, string>): void {
    this.trailers = trailers;
  }

  end(chunk?: Buffer): void {
    if (this.writableEnded || this.destroyed) return;
    this.writableEnded = true;
    if (this.refused) return this.sendRefusal();
    if (this.mode === 'pass') {
      if (chunk) this.remember(chunk);
      if (this.head.headers['trailer'] !== undefined) this.res.addTrailers(this.trailers);
      this.res.end(chunk);
      return this.delivered();
    }
    if (chunk) this.take(chunk);
    if (this.mode === 'whole') return this.check(this.checkWhole());
    this.guard(() => {
      this.read(this.scanner.end());
      this.reader?.end((event) => this.queue(event));
    });
    this.check(this.step());
  }

  /** Checks an answer in one piece; a text of another kind than JSON is one text. */
  private async checkWhole(): Promise<void> {
    const body = Buffer.concat(this.parts);
    const type = this.head.headers['content-type'] ?? '';
    const json = type.includes('json') ? parseObject(body) : undefined;
    let changed: (() => Buffer) | undefined;
    let slots: TextSlot[] = [];
    let isUnreplaced = false;
    if (json) slots = answerTexts(json);
    else if (type.startsWith('text/event-stream')) slots = streamTexts(body, () => (isUnreplaced = true));
    else if (type.startsWith('text/')) {
      let text = body.toString();
      slots = [{ text, replace: (by) => void (text = by) }];
      changed = () => Buffer.from(text);
    } else if (type.includes('json')) return this.refuse(refuse('hook_failed'));
    const before = slots.map(({ text }) => text);
    if (this.bytes > maxBytes) return this.refuse(refuse('hook_failed'));
    const error = slots.length > 0 ? await this.options.check(slots, '') : undefined;
    if (this.destroyed) return;
    if (error ?? isUnreplaced) return this.refuse(error ?? refuse('hook_failed'));
    if (json) changed = () => Buffer.from(JSON.stringify(json));
    const isSame = slots.every(({ text }, index) => text === before[index]);
    const sent = isSame ? body : (changed?.() ?? body);
    this.res.writeHead(this.head.status, { ...this.head.headers, 'content-length': String(sent.length) });
    this.res.end(sent);
    this.said = slots.map(({ text }) => text).join('\n');
    this.delivered();
  }

  destroy(): void {
    this.res.destroy();
    this.close();
  }
}
