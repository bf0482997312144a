import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { product } from '@tollgate/contract';
import { isObject, type JsonObject, parseObject, textOf } from '../../lib/json.ts';
import { asError } from '../../lib/outbound/as-error.ts';
import { type AnswerHandler, type Controller, type Http, type Outgoing } from '../../lib/outbound/http.ts';
import { redact } from '../../lib/scrub.ts';
import { readOpenaiError } from '../../relay/families/openai/index.ts';
import { overriddenHeaders } from '../../relay/header-override.ts';
import { bearer } from '../../relay/provider-kit/index.ts';
import { type Channel, refuse, RelayError } from '../../relay/types/index.ts';
import { hopHeader } from '../call/index.ts';
import { unanswered } from './unanswered.ts';

/** All answers of a session, with everything that their streams bring: a server may resume a stream without end. */
const maxAnswerBytes = 16 * 1024 * 1024;
/** Bytes of a refusal that are read for its text. */
const maxRefusalBytes = 16 * 1024;
/** Time for a handshake, for a notification and for the end of a session. */
const handshakeMs = 30_000;
/** Time between the end of a stream and the answer that was in it; longer if the server resumes streams. */
const graceMs = 1_000;
const resumeMs = 20_000;

/** A progress notification of a running tool. */
export type ToolProgress = JsonObject & { progress: number };

/** The place of a tool server, and the caller's headers that its channel may pass on. */
export interface ToolServerCall {
  http: Pick<Http, 'dispatch'>;
  channel: Channel;
  /** Headers of the caller, and those of a trace; {} for calls of our own. */
  callerHeaders: Readonly<Record<string, string | string[] | undefined>>;
  traceHeaders?: Record<string, string> | undefined;
}

/** What a handshake has found out; a server without sessions needs no other one. */
export interface Handshake {
  /** The version of the protocol. */
  version: string;
  serverName: string;
  hasSession: boolean;
}

/** One request of a session. */
interface ServerRequest {
  method: string;
  params: JsonObject;
  /** Ms until it counts as unanswered. */
  timeoutMs: number;
  onProgress?: ((progress: ToolProgress) => void) | undefined;
  /** Cancels the request at the server, and rejects. */
  signal?: AbortSignal | undefined;
}

interface Waiting {
  resolve(result: JsonObject): void;
  reject(error: Error): void;
  onProgress: ServerRequest['onProgress'];
}

/** Error of a tool server in JSON-RPC, which passes to the caller. */
export class ToolServerError extends RelayError {
  readonly rpc: { code: number; message: string; data?: JsonObject[string] };

  constructor(rpc: ToolServerError['rpc']) {
    super({
      status: 400,
      code: 'tool_failed',
      message: rpc.message,
      blame: 'caller',
      // The words are the server's, so another channel is not asked, and this one has not failed.
      original: { code: rpc.code, message: rpc.message },
    });
    this.rpc = rpc;
  }
}

/**
 * Requests to a tool server over the official transport, which gets all its connections from the one outbound client.
 * A session belongs to one call: two callers never share what a server keeps in it.
 */
export class ToolSession {
  readonly handshake: Handshake;
  /** Texts that no caller may see. */
  readonly secrets: readonly string[];
  private readonly transport: StreamableHTTPClientTransport;
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;
  private isResumable = false;
  private silence: NodeJS.Timeout | undefined;
  /** Resolves when the server knows of a cancellation. */
  private told: Promise<void> | undefined;

  private constructor(
    transport: StreamableHTTPClientTransport,
    handshake: Handshake,
    secrets: readonly string[],
  ) {
    this.transport = transport;
    this.handshake = handshake;
    this.secrets = secrets;
  }

  /**
   * Opens a session. With the handshake of a server without sessions, nothing is sent. Rejects with RelayError; then
   * the server has run nothing.
   */
  static async open(call: ToolServerCall, known?: Handshake): Promise<ToolSession> {
    // Loaded with the first use of a tool: other processes do not have it in memory.
    const [
      { StreamableHTTPClientTransport: Transport },
      { LATEST_PROTOCOL_VERSION, SUPPORTED_PROTOCOL_VERSIONS },
    ] = await Promise.all([
      import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
      import('@modelcontextprotocol/sdk/types.js'),
    ]);
    const { channel, callerHeaders } = call;
    const { headers, secrets } = overriddenHeaders(bearer(channel), channel, callerHeaders);
    const hidden = [channel.key, ...secrets].filter((secret) => secret !== '');
    const streams = { bytes: 0, started: (): void => undefined, ended: (): void => undefined };
    const transport = new Transport(addressOf(channel), {
      fetch: fetchThrough({
        ...call,
        headers: { ...headers, ...call.traceHeaders },
        secrets: hidden,
        streams,
      }),
      reconnectionOptions: {
        maxRetries: 2,
        initialReconnectionDelay: 1_000,
        maxReconnectionDelay: 5_000,
        reconnectionDelayGrowFactor: 2,
      },
    });
    await transport.start();
    const handshake: Handshake = known ? { ...known } : { version: '', serverName: '', hasSession: false };
    const session = new ToolSession(transport, handshake, hidden);
    streams.started = () => session.streamStarted();
    streams.ended = () => session.streamEnded(streams.bytes > maxAnswerBytes);
    transport.onmessage = (message) => session.receive(message);
    if (known) {
      transport.setProtocolVersion(known.version);
      return session;
    }
    try {
      const result = await session.request({
        method: 'initialize',
        params: {
          protocolVersion: LATEST_PROTOCOL_VERSION,
          capabilities: {},
          clientInfo: { name: product.name, version: '1' },
        },
        timeoutMs: handshakeMs,
      });
      const version = textOf(result['protocolVersion']);
      if (!SUPPORTED_PROTOCOL_VERSIONS.includes(version))
        throw refuse('tool_version_unknown', { version: version.slice(0, 40) });
      const info = isObject(result['serverInfo']) ? result['serverInfo'] : {};
      Object.assign(handshake, {
        version,
        serverName: textOf(info['name']).slice(0, 200),
        hasSession: transport.sessionId !== undefined,
      });
      transport.setProtocolVersion(version);
      await session.notify('notifications/initialized', {});
      return session;
    } catch (error) {
      await session.close();
      throw asNotRun(error);
    }
  }

  /** Sends a request and resolves to its result. Rejects with RelayError. */
  async request({ method, params, timeoutMs, onProgress, signal }: ServerRequest): Promise<JsonObject> {
    this.lastId += 1;
    const id = this.lastId;
    const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
    this.waiting.set(id, { resolve, reject, onProgress });
    const cancel = (): void => {
      this.told = this.notify('notifications/cancelled', { requestId: id }).catch(() => undefined);
      reject(refuse('tool_unanswered'));
    };
    const timer = setTimeout(cancel, timeoutMs);
    if (signal?.aborted) reject(refuse('tool_unanswered'));
    signal?.addEventListener('abort', cancel, { once: true });
    const { _meta: meta, ...rest } = params;
    const own = { ...(isObject(meta) ? meta : {}), ...(onProgress && { progressToken: id }) };
    const sent = { ...rest, ...(Object.keys(own).length > 0 && { _meta: own }) };
    this.transport
      .send({ jsonrpc: '2.0', id, method, params: sent } as JSONRPCMessage, {
        onresumptiontoken: () => (this.isResumable = true),
      })
      .catch((error: unknown) => reject(asError(error)));
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      clearTimeout(this.silence);
      signal?.removeEventListener('abort', cancel);
      this.waiting.delete(id);
    }
  }

  private async notify(method: string, params: JsonObject): Promise<void> {
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(refuse('tool_unanswered')), handshakeMs);
    const sent = this.transport.send({ jsonrpc: '2.0', method, params } as JSONRPCMessage);
    await Promise.race([sent, promise]).finally(() => clearTimeout(timer));
  }

  /** Ends the session at a server that keeps one; never rejects. */
  async close(): Promise<void> {
    clearTimeout(this.silence);
    await this.told;
    if (this.transport.sessionId !== undefined)
      await this.transport.terminateSession().catch(() => undefined);
    await this.transport.close().catch(() => undefined);
  }

  private receive(message: JSONRPCMessage): void {
    if ('method' in message) {
      if ('id' in message) this.refuseRequest(message.id, message.method);
      else if (message.method === 'notifications/progress')
        this.progressed((message.params ?? {}) as JsonObject);
      return;
    }
    const waiting = this.waiting.get(Number(message.id));
    if ('result' in message) waiting?.resolve(message.result as JsonObject);
    else if ('error' in message) {
      const { code, message: words, data } = message.error;
      const text = redact(words, this.secrets).slice(0, 2_000);
      const shown = data === undefined ? {} : { data: this.withoutSecrets(data as JsonObject[string]) };
      waiting?.reject(new ToolServerError({ code, message: text, ...shown }));
    }
  }

  private progressed(params: JsonObject): void {
    const { progressToken, ...progress } = params;
    if (typeof progress['progress'] !== 'number') return;
    this.waiting.get(Number(progressToken))?.onProgress?.(this.withoutSecrets(progress) as ToolProgress);
  }

  /** A value of the server without the secrets of its channel, which no caller may see. */
  withoutSecrets<Value extends JsonObject[string]>(value: Value): Value {
    const text = JSON.stringify(value);
    return this.secrets.some((secret) => text.includes(secret))
      ? (JSON.parse(redact(text, this.secrets)) as Value)
      : value;
  }

  /** A server may ask its client for a text of a model, or a person for input: nobody is here for that. */
  private refuseRequest(id: string | number, method: string): void {
    const answer =
      method === 'ping' ? { result: {} } : { error: { code: -32_601, message: 'Method not found' } };
    this.transport.send({ jsonrpc: '2.0', id, ...answer } as JSONRPCMessage).catch(() => undefined);
  }

  private streamStarted(): void {
    clearTimeout(this.silence);
  }

  /** An answer that is not there soon after its stream has ended does not come any more. */
  private streamEnded(isTooLarge: boolean): void {
    clearTimeout(this.silence);
    if (this.waiting.size === 0) return;
    this.silence = setTimeout(
      () => {
        for (const waiting of this.waiting.values()) waiting.reject(refuse('tool_unanswered'));
      },
      this.isResumable && !isTooLarge ? resumeMs : graceMs,
    );
  }
}

function addressOf({ baseUrl }: Channel): URL {
  try {
    return new URL(baseUrl);
  } catch (error) {
    throw unanswered('upstream_unreachable', error);
  }
}

/** A failure before the tool was asked: another channel may be tried. */
function asNotRun(error: unknown): RelayError {
  if (error instanceof ToolServerError)
    return refuse('tool_server_refused', { message: error.message }, { cause: error });
  if (error instanceof RelayError && error.code !== 'tool_unanswered') return error;
  return unanswered('upstream_unreachable', error);
}

interface FetchDeps extends ToolServerCall {
  headers: Record<string, string>;
  secrets: readonly string[];
  /** Bytes of all answers; functions to call when the body of an answer begins and ends. */
  streams: { bytes: number; started(): void; ended(): void };
}

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** The transport's requests over the outbound client, which checks each address. Answers without success reject. */
function fetchThrough(deps: FetchDeps): Fetch {
  return (url, init = {}) => {
    const headers = Object.fromEntries(new Headers(init.headers));
    if (deps.streams.bytes > maxAnswerBytes && init.method !== 'DELETE')
      return Promise.reject(refuse('tool_unanswered'));
    // Between two requests a server has nothing to tell us; only a stream that broke off is resumed.
    if (init.method === 'GET' && headers['last-event-id'] === undefined)
      return Promise.resolve(new Response(null, { status: 405 }));
    return new Promise((resolve, reject) => {
      const outgoing: Outgoing = {
        method: (init.method ?? 'GET') as Outgoing['method'],
        url: String(url),
        // The protocol's own headers are not those of a caller or of an override.
        headers: { ...deps.headers, ...headers, [hopHeader]: '1' },
        ...(typeof init.body === 'string' && { body: Buffer.from(init.body) }),
        scope: 'operator',
        proxy: deps.channel.setting.proxy,
        // A request has a timeout of its own, the end of a session has none.
        headersTimeoutMs: init.method === 'DELETE' ? handshakeMs : 0,
        bodyTimeoutMs: 0,
      };
      try {
        deps.http.dispatch(outgoing, new StreamedAnswer(deps, init.signal ?? undefined, { resolve, reject }));
      } catch (error) {
        reject(unanswered('upstream_unreachable', error));
      }
    });
  };
}

/** An answer of the outbound client as a web response, within the limit of size. */
class StreamedAnswer implements AnswerHandler {
  private readonly deps: FetchDeps;
  private readonly signal: AbortSignal | undefined;
  private readonly caller: { resolve(response: Response): void; reject(error: Error): void };
  private body: ReadableStreamDefaultController<Uint8Array> | undefined;
  private refusal: { status: number; contentType: string; retryAfter: number | undefined } | undefined;
  private readonly refusalBody: Buffer[] = [];
  /** Bytes of a refusal. */
  private bytes = 0;
  private stop: (() => void) | undefined;

  constructor(deps: FetchDeps, signal: AbortSignal | undefined, caller: StreamedAnswer['caller']) {
    this.deps = deps;
    this.signal = signal;
    this.caller = caller;
  }

  onRequestStart(controller: Controller): void {
    this.stop = () => controller.abort(new Error('nobody waits for this answer'));
    if (this.signal?.aborted) this.stop();
    else this.signal?.addEventListener('abort', this.stop);
  }

  onResponseStart(
    controller: Controller,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    const contentType = String(headers['content-type'] ?? '');
    if (status >= 300) {
      const seconds = Number(headers['retry-after']);
      this.refusal = { status, contentType, retryAfter: Number.isFinite(seconds) ? seconds : undefined };
      return;
    }
    const shown = new Headers({ 'content-type': contentType });
    const session = headers['mcp-session-id'];
    if (typeof session === 'string') shown.set('mcp-session-id', session);
    this.deps.streams.started();
    const stream = new ReadableStream<Uint8Array>({
      start: (body) => {
        this.body = body;
      },
      pull: () => controller.resume(),
      cancel: () => controller.abort(new Error('nobody reads this answer')),
    });
    const hasBody = status !== 204 && status !== 205;
    this.caller.resolve(new Response(hasBody ? stream : null, { status, headers: shown }));
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (this.refusal) {
      this.bytes += chunk.length;
      if (this.bytes <= maxRefusalBytes) this.refusalBody.push(chunk);
      else controller.abort(new Error('the error answer is too long'));
      return;
    }
    const { streams } = this.deps;
    streams.bytes += chunk.length;
    if (streams.bytes > maxAnswerBytes) {
      controller.abort(new Error('the answer is too large'));
      return;
    }
    this.body?.enqueue(chunk);
    if ((this.body?.desiredSize ?? 1) <= 0) controller.pause();
  }

  onResponseEnd(): void {
    this.leave();
    if (this.refusal) return this.caller.reject(this.readRefusal(this.refusal));
    this.body?.close();
    this.deps.streams.ended();
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.leave();
    if (this.refusal) return this.caller.reject(this.readRefusal(this.refusal));
    if (!this.body) return this.caller.reject(unanswered('upstream_unreachable', error));
    try {
      this.body.error(error);
    } catch {
      // Its reader has left.
    }
    this.deps.streams.ended();
  }

  private leave(): void {
    if (this.stop) this.signal?.removeEventListener('abort', this.stop);
  }

  /** A refusal in words of the server, in JSON-RPC or another form of errors. A redirect is none that is followed. */
  private readRefusal({
    status,
    contentType,
    retryAfter,
  }: NonNullable<StreamedAnswer['refusal']>): RelayError {
    const body = Buffer.concat(this.refusalBody);
    const { secrets } = this.deps;
    const error = parseObject(body)?.['error'];
    const words = isObject(error) ? textOf(error['message']) : '';
    const shown = words === '' ? body : Buffer.from(JSON.stringify({ message: words }));
    const asked = status < 400 ? 502 : status;
    return readOpenaiError({
      status: asked,
      contentType,
      body: shown,
      secrets,
      retryAfterSeconds: retryAfter,
    });
  }
}
