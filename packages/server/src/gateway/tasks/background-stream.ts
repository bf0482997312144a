import { type JsonObject, objectOf, parseObject, textOf } from '../../lib/json.ts';
import type { AnswerHandler, Controller } from '../../lib/outbound/http.ts';
import { SseScanner } from '../../lib/sse/index.ts';
import { responseEnds } from '../../relay/families/openai/index.ts';
import {
  type AnswerEnd,
  type Channel,
  refuse,
  RelayError,
  type UpstreamCall,
} from '../../relay/types/index.ts';
import { readRefusal, RefusalBody } from '../answer/index.ts';
import { type GatewayDeps, hopHeader, type RelayCall } from '../call/index.ts';
import { unanswered } from '../upstream/index.ts';

/** Bytes of a stream that wait for their caller. */
const maxWaiting = 32 * 1024 * 1024;

/** The stream of a response that its vendor runs in the background. */
export class VendorEvents implements AnswerHandler {
  /** The response as its first event shows it; rejects with the vendor's refusal. */
  readonly begun: Promise<JsonObject>;
  /** The response as its last event shows it. */
  last: JsonObject | undefined;
  /** The end of the stream for its caller, once everything else was read. */
  end: AnswerEnd | undefined;
  private readonly call: UpstreamCall;
  private readonly start = Promise.withResolvers<JsonObject>();
  private readonly scanner = new SseScanner();
  private pipe: ReturnType<UpstreamCall['openPipe']> | undefined;
  private upstream: Controller | undefined;
  private refused: { status: number; contentType: string; body: RefusalBody } | undefined;
  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  private isOver = false;
  private wake: () => void = () => undefined;

  constructor(call: UpstreamCall) {
    this.call = call;
    this.begun = this.start.promise;
  }

  /** The bytes for the caller, each once: those before the first call are kept for it. */
  async *read(): AsyncGenerator<Buffer> {
    for (;;) {
      const { waiting } = this;
      this.waiting = [];
      this.waitingBytes = 0;
      yield* waiting;
      if (this.waiting.length > 0) continue;
      if (this.isOver) return;
      await new Promise<void>((ready) => (this.wake = ready));
    }
  }

  /** The caller's speed pauses the vendor, until the caller leaves. */
  follow(client: RelayCall['client']): void {
    client.onClose(() => this.upstream?.resume());
    client.follow(this.upstream);
  }

  /** Stops reading; the vendor goes on. */
  abort(): void {
    this.isOver = true;
    this.upstream?.abort(new Error('nobody reads this stream'));
    this.wake();
  }

  onRequestStart(controller: Controller): void {
    this.upstream = controller;
  }

  onResponseStart(
    _controller: Controller,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    const contentType = String(headers['content-type'] ?? '');
    if (status < 200 || status >= 300) this.refused = { status, contentType, body: new RefusalBody() };
    else this.pipe = this.call.openPipe(status, contentType);
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (this.refused && !this.refused.body.add(chunk)) controller.abort(new Error('the refusal is too long'));
    if (this.refused) return;
    try {
      for (const { data } of this.scanner.push(chunk)) this.note(data);
      this.show(this.pipe?.push(chunk));
      if (this.waitingBytes > maxWaiting) throw refuse('upstream_broken');
    } catch (cause) {
      this.fail(cause);
    }
  }

  onResponseEnd(): void {
    if (this.refused) return this.fail(readRefusal(this.call, this.refused, this.refused.body));
    try {
      for (const { data } of this.scanner.end()) this.note(data);
      this.finish(false);
    } catch (cause) {
      this.fail(cause);
    }
  }

  onResponseError(_controller: Controller, cause: Error): void {
    if (!this.isOver) this.fail(unanswered('upstream_unreachable', cause));
  }

  private note(data: string): void {
    if (this.last) return;
    const { type, response } = parseObject(data) ?? {};
    const told = objectOf(response);
    if (textOf(told['id']) !== '') this.start.resolve(told);
    if (responseEnds.has(textOf(type))) this.last = told;
  }

  private show(bytes: Buffer | undefined): void {
    if (!bytes || bytes.length === 0) return;
    this.waiting.push(bytes);
    this.waitingBytes += bytes.length;
    this.wake();
  }

  private finish(isBroken: boolean): void {
    this.isOver = true;
    this.end = this.pipe?.end(isBroken);
    this.start.reject(this.end?.error ?? refuse('answer_unreadable'));
    this.wake();
  }

  private fail(cause: unknown): void {
    if (this.isOver) return;
    this.start.reject(cause instanceof RelayError ? cause : refuse('answer_unreadable', {}, { cause }));
    this.upstream?.abort(new Error('the stream cannot be read'));
    this.finish(true);
  }
}

/** Sends a request and waits for the event that names its response. Throws the vendor's refusal. */
export async function openEvents(
  { http }: Pick<GatewayDeps, 'http'>,
  channel: Channel,
  call: UpstreamCall,
  timeoutMs: number,
): Promise<{ events: VendorEvents; response: JsonObject }> {
  const events = new VendorEvents(call);
  const headers = { ...call.headers, [hopHeader]: '1' };
  const timeouts = { headersTimeoutMs: timeoutMs, bodyTimeoutMs: timeoutMs };
  const { method, url, body } = call;
  const { proxy } = channel.setting;
  http.dispatch({ method, url, headers, body, scope: 'operator', proxy, ...timeouts }, events);
  return { events, response: await events.begun };
}

/**
 * Passes a vendor's stream to its caller; `conclude` charges the response before its end is sent. If the caller leaves, the
 * stream is read on, so that it is charged when it ends; if it breaks, the response goes on at the vendor. Both can be
 * resumed there.
 */
export async function passEvents(
  { log, identityHeaders, running }: Pick<GatewayDeps, 'log' | 'identityHeaders' | 'running'>,
  { client, inbound, requestId }: Pick<RelayCall, 'client' | 'inbound' | 'requestId'>,
  events: VendorEvents,
  conclude: (response: JsonObject) => Promise<void>,
): Promise<void> {
  const entry = { index: -1, isDraining: false, end: () => events.abort() };
  running.add(entry);
  client.head(200, { ...streamHead, ...identityHeaders(requestId) });
  client.onClose(() => {
    if (running.takeDrain()) entry.isDraining = true;
    else events.abort();
  });
  events.follow(client);
  try {
    for await (const bytes of events.read()) client.push(bytes);
    const { last, end } = events;
    if (last) await conclude(last);
    else if (!end?.error) throw refuse('upstream_broken');
    client.finish(end?.tail, {});
  } catch (error) {
    log.warn({ err: error, request: requestId }, 'the stream of a response in the background broke off');
    events.abort();
    client.finish(inbound.writeStreamError(refuse('upstream_broken'), requestId, client.last), {});
  } finally {
    running.delete(entry);
  }
}

/** Head of a stream of a response. */
export const streamHead = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  connection: 'keep-alive',
  'x-accel-buffering': 'no',
};
