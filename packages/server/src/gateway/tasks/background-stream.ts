import { type JsonObject, objectOf, parseObject, textOf } from '../../lib/json.ts';
import type { AnswerHandler, Controller } from '../../lib/outbound/http.ts';
import { redact } from '../../lib/scrub.ts';
import { type SseEvent, SseScanner } from '../../lib/sse/index.ts';
import { type Channel, refuse, type RelayError, type UpstreamCall } from '../../relay/types/index.ts';
import { readRefusal, RefusalBody } from '../answer/index.ts';
import { type GatewayDeps, hopHeader, type RelayCall } from '../call/index.ts';
import { unanswered } from '../upstream/index.ts';

/** The stream of a response that its vendor runs in the background, from its beginning. */
export interface VendorEvents {
  /** The response as its first event shows it. */
  response: JsonObject;
  /** The events, each once: those before the iteration are kept for it. Throws when the stream breaks off. */
  read(): AsyncIterable<SseEvent>;
  /** Lets the caller's speed pause the vendor. */
  follow(client: Pick<RelayCall['client'], 'follow'>): void;
  /** Stops reading; the vendor goes on. */
  abort(): void;
  /** Texts that no caller may see. */
  secrets: readonly string[];
}

/** Bytes of a stream that wait for their caller. */
const maxWaiting = 32 * 1024 * 1024;

/** Events that end a response. */
const ends: ReadonlySet<string> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.cancelled',
]);

/** Sends a request and waits for the event that names its response. Throws the vendor's refusal. */
export function openEvents(
  { http }: Pick<GatewayDeps, 'http'>,
  channel: Channel,
  call: UpstreamCall,
  timeoutMs: number,
): Promise<VendorEvents> {
  const { promise, resolve, reject } = Promise.withResolvers<VendorEvents>();
  const scanner = new SseScanner();
  const waiting: SseEvent[] = [];
  let upstream: Controller | undefined;
  let refused: { status: number; contentType: string; body: RefusalBody } | undefined;
  let first: JsonObject | undefined;
  let isOver = false;
  let failure: unknown;
  let wake: () => void = () => undefined;
  let waitingBytes = 0;
  const abort = (): void => {
    isOver = true;
    upstream?.abort(new Error('nobody reads this stream'));
    wake();
  };
  async function* read(): AsyncGenerator<SseEvent> {
    for (;;) {
      const event = waiting.shift();
      if (event) {
        waitingBytes -= event.data.length;
        yield event;
      } else if (failure !== undefined) throw failure;
      else if (isOver) return;
      else await new Promise<void>((ready) => (wake = ready));
    }
  }
  const take = (events: readonly SseEvent[]): void => {
    for (const event of events) {
      waiting.push(event);
      waitingBytes += event.data.length;
      if (first) continue;
      const { response, error } = parseObject(event.data) ?? {};
      const told = objectOf(response);
      if (textOf(told['id']) !== '') {
        first = told;
        const follow: VendorEvents['follow'] = (client) => client.follow(upstream);
        resolve({ response: told, read, follow, abort, secrets: call.secrets });
      } else if (error !== undefined) reject(readEvent(call, event));
    }
    if (waitingBytes > maxWaiting) fail(refuse('upstream_broken'));
    wake();
  };
  const fail = (cause: unknown): void => {
    failure = cause;
    reject(cause as Error);
    upstream?.abort(new Error('the stream cannot be read'));
    wake();
  };
  const handler: AnswerHandler = {
    onRequestStart(controller) {
      upstream = controller;
    },
    onResponseStart(_controller, status, headers) {
      const contentType = String(headers['content-type'] ?? '');
      const isStream = status >= 200 && status < 300 && contentType.startsWith('text/event-stream');
      if (!isStream) refused = { status, contentType, body: new RefusalBody() };
    },
    onResponseData(controller, chunk) {
      try {
        if (!refused) take(scanner.push(chunk));
        else if (!refused.body.add(chunk)) controller.abort(new Error('the refusal is too long'));
      } catch (cause) {
        fail(cause);
      }
    },
    onResponseEnd() {
      if (refused) return fail(readRefusal(call, refused, refused.body));
      try {
        take(scanner.end());
      } catch (cause) {
        return fail(cause);
      }
      isOver = true;
      reject(refuse('answer_unreadable'));
      wake();
    },
    onResponseError(_controller, cause) {
      if (!isOver && failure === undefined) fail(unanswered('upstream_unreachable', cause));
    },
  };
  const headers = { ...call.headers, [hopHeader]: '1' };
  const { proxy } = channel.setting;
  const timeouts = { headersTimeoutMs: timeoutMs, bodyTimeoutMs: timeoutMs };
  const { method, url, body } = call;
  http.dispatch({ method, url, headers, body, scope: 'operator', proxy, ...timeouts }, handler);
  return promise;
}

/** The error of a stream that begins with one. */
function readEvent(call: UpstreamCall, { name, data }: SseEvent): RelayError {
  const pipe = call.openPipe(200, 'text/event-stream');
  pipe.push(Buffer.from(`event: ${name}\ndata: ${data}\n\n`));
  return pipe.end(false).error ?? refuse('answer_unreadable');
}

/**
 * Passes a vendor's stream to its caller; `conclude` charges the response before its last event is sent. If the caller
 * leaves or the stream breaks, the response goes on at the vendor and its stream can be resumed.
 */
export async function passEvents(
  { log, identityHeaders }: Pick<GatewayDeps, 'log' | 'identityHeaders'>,
  { client, inbound, requestId }: Pick<RelayCall, 'client' | 'inbound' | 'requestId'>,
  events: VendorEvents,
  conclude: (response: JsonObject) => Promise<void>,
): Promise<void> {
  client.head(200, { ...streamHead, ...identityHeaders(requestId) });
  client.onClose(() => events.abort());
  events.follow(client);
  try {
    for await (const { name, data } of events.read()) {
      if (client.closed) return;
      const body = /"response\.(?:completed|incomplete|failed|cancelled)"/.test(data) && parseObject(data);
      if (body && ends.has(textOf(body['type']))) await conclude(objectOf(body['response']));
      client.push(Buffer.from(`event: ${name}\ndata: ${redact(data, events.secrets)}\n\n`));
    }
    client.finish(undefined, {});
  } catch (error) {
    log.warn({ err: error, request: requestId }, 'the stream of a response in the background broke off');
    events.abort();
    client.finish(inbound.writeStreamError(refuse('upstream_broken'), requestId, client.last), {});
  }
}

/** Head of a stream of a response. */
export const streamHead = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  connection: 'keep-alive',
  'x-accel-buffering': 'no',
};
