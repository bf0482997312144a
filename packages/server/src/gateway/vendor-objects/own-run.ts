import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonObject, objectOf, parseObject, textOf } from '../../lib/json.ts';
import type { Log } from '../../lib/log.ts';
import { SseScanner } from '../../lib/sse/index.ts';
import { responseEnds } from '../../relay/families/openai/index.ts';
import type { KeptResponses } from '../../services/calls/routing/index.ts';
import { type AnswerSink, ClientStream } from '../call/index.ts';

/** Ids of the parts of a response in the background, which no response has. */
export const partId = {
  events: (id: string, part: number) => `${id} events ${part}`,
  /** Its last event, which is shown once the response is over. */
  end: (id: string) => `${id} end`,
  /** Kept once it is over. */
  over: (id: string) => `${id} over`,
  /** Kept once its user cancels it in another process. */
  cancel: (id: string) => `${id} cancel`,
};

/** Events that arrive within this time are kept together. */
const flushMs = 100;
/** Characters of events that are kept in one piece, and that wait to be kept. */
const pieceLength = 16 * 1024;
const maxPending = 512 * 1024;
/** Characters of all events of a response. */
const maxEvents = 64 * 1024 * 1024;
/** Pauses between the attempts to keep something, so that a short outage loses nothing. */
const pauses = [50, 250, 1_000, 3_000];
const cancelPollMs = 1_000;

interface OwnRunDeps {
  kept: KeptResponses;
  log: Log;
}

/** The response that a run makes. */
interface OwnedResponse {
  id: string;
  userId: number;
  /** The response object at its start. */
  head: JsonObject;
  /** All items of its input. */
  input: JsonObject[];
}

/** The stream to a run, which learns when the hold is durable. */
export class HeldStream extends ClientStream {
  private readonly run: OwnRun;

  constructor(run: OwnRun) {
    super(run);
    this.run = run;
  }

  override open(): void {
    super.open();
    // A refusal opens it, too, and is written at once.
    queueMicrotask(() => this.run.keepHead());
  }
}

/** An error in place of an answer. */
export interface Refused {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/**
 * Takes the stream of a call like a response and keeps its events, so that they can be read at any time and in any process.
 * Nothing is shown before it is kept, and the end only once it is charged.
 */
export class OwnRun extends EventEmitter implements AnswerSink {
  headersSent = false;
  writableEnded = false;
  writableFinished = false;
  destroyed = false;
  readonly userId: number;
  readonly id: string;
  isOver = false;
  /** True once it can be read by its id. */
  isKept = false;
  /** The response as its user sees it now. */
  response: JsonObject;
  private readonly deps: OwnRunDeps;
  private readonly input: JsonObject[];
  private readonly scanner = new SseScanner();
  private status = 0;
  private headers: Record<string, string> = {};
  private readonly whole: Buffer[] = [];
  private keeping: Promise<void> | undefined;
  private flushing: Promise<void> | undefined;
  private pending: JsonObject[] = [];
  private pendingLength = 0;
  private piece: JsonObject[] = [];
  private pieceLength = 0;
  private part = 0;
  private length = 0;
  private next = 0;
  private isEnding = false;
  private isCancelled = false;
  private ending: JsonObject | undefined;
  private failure: JsonObject | undefined;
  private change = Promise.withResolvers<void>();
  private readonly start = Promise.withResolvers<void>();
  private readonly finished = Promise.withResolvers<void>();
  private watch: NodeJS.Timeout | undefined;

  constructor(deps: OwnRunDeps, { id, userId, head, input }: OwnedResponse) {
    super();
    this.deps = deps;
    this.id = id;
    this.userId = userId;
    this.response = head;
    this.input = input;
  }

  /** Resolves once the response is kept, or is over without that. */
  get begun(): Promise<void> {
    return this.start.promise;
  }

  /** Resolves once the response is over. */
  get over(): Promise<void> {
    return this.finished.promise;
  }

  /** Resolves at the next change. */
  get changed(): Promise<void> {
    return this.change.promise;
  }

  /** True once an event is kept. */
  get hasEvents(): boolean {
    return this.part > 0 || this.piece.length > 0;
  }

  /** The error that the call was refused with; undefined without one. */
  get refused(): Refused | undefined {
    if (this.status < 400) return undefined;
    // Its length is written with it.
    const { 'content-length': _, ...headers } = this.headers;
    return { status: this.status, headers, body: Buffer.concat(this.whole) };
  }

  /** Keeps the response: it is held for, and its caller may leave. */
  keepHead(): void {
    if (this.keeping || this.status >= 400) return;
    this.keeping = this.keep(this.id, { response: this.response, input: this.input }).then((isKept) => {
      if (!isKept) return this.fail('the conversation cannot be kept');
      this.isKept = true;
      this.watch = setInterval(() => void this.lookForCancel(), cancelPollMs).unref();
      this.start.resolve();
    });
  }

  private async lookForCancel(): Promise<void> {
    const { userId, id } = this;
    const asked = await this.deps.kept.find(userId, partId.cancel(id)).catch(() => undefined);
    if (asked) this.cancel();
  }

  /** Stops the call for its user. */
  cancel(): void {
    if (this.isEnding || this.writableEnded) return;
    this.isCancelled = true;
    this.leave();
  }

  private fail(message: string): void {
    this.failure ??= { code: 'server_error', message };
    this.leave();
  }

  /** The call ends as if its caller had disconnected. */
  private leave(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.emit('close');
  }

  writeHead(status: number, headers: Record<string, string>): void {
    this.headersSent = true;
    this.status = status;
    this.headers = headers;
    if (status < 400) this.keepHead();
  }

  write(chunk: Buffer): boolean {
    if (this.status >= 400) this.whole.push(chunk);
    else {
      for (const { name, data } of this.scanner.push(chunk)) this.take(name, data);
      this.flush();
    }
    return this.pendingLength < maxPending;
  }

  addTrailers(): void {
    // The cost is in the log.
  }

  end(chunk?: Buffer): void {
    if (this.writableEnded) return;
    if (chunk) this.write(chunk);
    if (this.status < 400) for (const { name, data } of this.scanner.end()) this.take(name, data);
    this.writableEnded = true;
    this.writableFinished = true;
  }

  destroy(): void {
    this.leave();
  }

  private take(name: string, data: string): void {
    const event = this.numbered(name, data);
    if (!event) return;
    if (event['type'] === 'error') {
      const { code = null, message = '' } = event;
      this.failure = { code: textOf(code) || 'server_error', message };
    } else if (responseEnds.has(textOf(event['type']))) this.ending = event;
    else {
      this.pending.push(event);
      this.pendingLength += data.length;
      this.length += data.length;
      if (this.length > maxEvents) this.fail('the response is too long to be kept');
    }
  }

  /** An event with its number in the sequence, and the response under the id that its user knows. */
  private numbered(name: string, data: string): JsonObject | undefined {
    const body = parseObject(data);
    if (!body) return undefined;
    const { sequence_number: told, response } = body;
    const number = Math.max(this.next, typeof told === 'number' && Number.isSafeInteger(told) ? told : 0);
    this.next = number + 1;
    const type = textOf(body['type']) || name;
    return {
      ...body,
      type,
      sequence_number: number,
      ...(response !== undefined && { response: this.named(objectOf(response)) }),
    };
  }

  private named(response: JsonObject): JsonObject {
    return { ...response, id: this.id, background: true, store: true };
  }

  /** Keeps the end before it is charged: a process that dies in between loses nothing that was paid for. */
  async prepare(tail: Buffer | undefined): Promise<void> {
    this.isEnding = true;
    await this.flushed();
    const scanner = new SseScanner();
    for (const { data } of [...scanner.push(tail ?? nothing), ...scanner.end()]) {
      const body = parseObject(data) ?? {};
      if (!responseEnds.has(textOf(body['type']))) continue;
      const event = { ...body, response: this.named(objectOf(body['response'])) };
      await this.keep(partId.end(this.id), { response: {}, input: [event] });
    }
  }

  private flush(): void {
    if (this.flushing || this.pending.length === 0) return;
    this.flushing = this.flushAll().finally(() => (this.flushing = undefined));
  }

  private async flushed(): Promise<void> {
    this.flush();
    await this.flushing;
  }

  private async flushAll(): Promise<void> {
    await this.keeping;
    while (this.pending.length > 0) {
      if (!this.isEnding) await sleep(flushMs);
      const { pending } = this;
      this.pieceLength += this.pendingLength;
      this.pending = [];
      this.pendingLength = 0;
      this.piece.push(...pending);
      const isKept = await this.keep(partId.events(this.id, this.part), { response: {}, input: this.piece });
      if (!isKept) this.fail('the response cannot be kept');
      if (this.pieceLength >= pieceLength) {
        this.part += 1;
        this.piece = [];
        this.pieceLength = 0;
      }
      if (textOf(this.response['status']) === 'queued')
        this.response = { ...this.response, status: 'in_progress' };
      this.notify();
      this.emit('drain');
    }
  }

  private notify(): void {
    this.change.resolve();
    this.change = Promise.withResolvers<void>();
  }

  /** False if it is too long, or cannot be kept at all. */
  private async keep(id: string, kept: Parameters<KeptResponses['put']>[2]): Promise<boolean> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.deps.kept.put(this.userId, id, kept);
      } catch (err) {
        const pause = pauses[tries];
        if (pause === undefined) {
          this.deps.log.error({ err, response: this.id }, 'a response in the background could not be kept');
          return false;
        }
        await sleep(pause);
      }
    }
  }

  /** Called when the call is over and charged: shows its end. */
  async finish(): Promise<void> {
    this.isEnding = true;
    clearInterval(this.watch);
    const { refused } = this;
    await this.keeping;
    if (this.isKept) {
      await this.flushed();
      if (refused) this.failure ??= errorIn(refused);
      await this.publish(this.lastEvent());
    }
    this.isOver = true;
    this.start.resolve();
    this.finished.resolve();
    this.notify();
  }

  private lastEvent(): JsonObject {
    if (this.ending && !this.failure) return this.ending;
    const isCancelled = this.isCancelled && !this.failure;
    const error = isCancelled ? null : (this.failure ?? { code: 'server_error', message: 'it broke off' });
    const status = isCancelled ? 'cancelled' : 'failed';
    return {
      type: `response.${status}`,
      sequence_number: this.next,
      response: { ...this.response, status, error },
    };
  }

  private async publish(event: JsonObject): Promise<void> {
    const { userId, id, input } = this;
    this.response = await publish((part, kept) => this.keep(part, kept), { id, userId, input, event });
  }
}

const nothing = Buffer.alloc(0);

/**
 * Keeps the last event of a response, and the response as it is then; returns that. One that is too long to be kept has
 * failed: its text is in its events.
 */
export async function publish(
  keep: (id: string, kept: Parameters<KeptResponses['put']>[2]) => Promise<boolean>,
  { id, input, event }: Pick<OwnedResponse, 'id' | 'userId' | 'input'> & { event: JsonObject },
): Promise<JsonObject> {
  const keepEnd = async (last: JsonObject): Promise<boolean> =>
    (await keep(partId.end(id), { response: {}, input: [last] })) &&
    (await keep(id, { response: objectOf(last['response']), input }));
  const error = { code: 'server_error', message: 'the response is too long to be kept' };
  const whole = objectOf(event['response']);
  const short = { ...whole, status: 'failed', error, output: [] };
  const isKept = await keepEnd(event);
  if (!isKept) await keepEnd({ ...event, type: 'response.failed', response: short });
  await keep(partId.over(id), { response: {}, input: [] });
  return isKept ? whole : short;
}

/** The code and message of a refusal. */
function errorIn({ body }: Refused): JsonObject {
  const { code, message } = objectOf(parseObject(body)?.['error']);
  return { code: textOf(code) || 'server_error', message: textOf(message) };
}
