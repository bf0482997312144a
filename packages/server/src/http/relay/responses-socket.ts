import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { product } from '@tollgate/contract';
import { seconds } from '../../lib/clock.ts';
import { type JsonObject, objectOf, objectsIn, parseObject, splice, textOf } from '../../lib/json.ts';
import type { BodyShare, FullMemory } from '../../lib/body-memory.ts';
import { newRequestId } from '../../lib/request-id.ts';
import { SseScanner } from '../../lib/sse/index.ts';
import type { Frame, FrameHandler, FrameLink } from '../../lib/websocket/frame-socket.ts';
import { type Caller, type ClientSink, ClientStream, type Sessions } from '../../gateway/index.ts';
import { continuedInput, inputItems, isInput } from '../../relay/families/openai/index.ts';
import { refuse, type RelayError } from '../../relay/types/index.ts';
import { ownerOf, type RelayListenerDeps } from './listener.ts';
import { type AuthorizedRequest, noRoom, readCall } from './read-call.ts';
import type { MatchedRoute } from './relay-route.ts';

/** Messages that wait behind a running response; a caller that sends more is disconnected. */
const maxWaiting = 16;
/** OpenAI closes a connection after an hour. */
const lifetimeMs = 3_600_000;
/** Characters of a conversation that a connection keeps for the next message. */
const maxKept = 4 * 1024 * 1024;

/** Dependencies of Responses over a WebSocket: those of plain calls. */
export interface ResponsesSocketDeps extends RelayListenerDeps {
  sessions: Sessions;
}

/** A handshake for Responses, whose caller is known. */
export interface ResponsesHandshake {
  req: IncomingMessage;
  path: string;
  query: string;
  ip: string;
  caller: Caller;
  /** The route of a plain call. */
  matched: MatchedRoute;
  /** Identifies the caller again: a connection outlives changes of its key. Rejects with the error. */
  identify(): Promise<Caller>;
  /** Opens the caller's side; throws if the caller has disconnected. */
  accept(): FrameLink;
}

/**
 * Serves Responses over a WebSocket: each `response.create` is one call with its own hold and charge, one after the
 * other, and the events of its stream are messages. Resolves when the connection has ended.
 */
export async function serveResponsesSocket(
  deps: ResponsesSocketDeps,
  handshake: ResponsesHandshake,
): Promise<void> {
  const free = deps.sessions.admit(handshake.caller.userId);
  const connection = new Connection(deps, handshake);
  deps.sessions.add(connection);
  try {
    await connection.over;
  } finally {
    deps.sessions.delete(connection);
    free();
  }
}

/** The last response of a connection, which its vendor does not store. */
interface LastResponse {
  id: string;
  response: JsonObject;
  input: JsonObject[];
}

/** A message behind a running response. It counts as the body of a call from its arrival on. */
interface Waiting {
  data: Buffer;
  memory: BodyShare;
  /** The limit that does not allow it; then its data were dropped. */
  full: FullMemory | undefined;
}

const nothing = Buffer.alloc(0);

class Connection implements FrameHandler {
  readonly over: Promise<void>;
  private readonly deps: ResponsesSocketDeps;
  private readonly handshake: ResponsesHandshake;
  private readonly link: FrameLink;
  private readonly waiting: Waiting[] = [];
  private running: SocketSink | undefined;
  private last: LastResponse | undefined;
  /** Set once no further response may begin: the code of the close, and the error before it. */
  private ending: { code: number; error?: RelayError } | undefined;
  private readonly lifetime: NodeJS.Timeout;
  private readonly closed = Promise.withResolvers<void>();

  constructor(deps: ResponsesSocketDeps, handshake: ResponsesHandshake) {
    this.deps = deps;
    this.handshake = handshake;
    this.over = this.closed.promise;
    this.link = handshake.accept();
    const error = refuse('connection_too_old');
    this.lifetime = setTimeout(() => this.end({ code: 1000, error }), lifetimeMs);
    this.link.listen(this);
  }

  onFrame({ data }: Frame): void {
    if (this.ending) return;
    if (this.waiting.length >= maxWaiting) return this.end({ code: 1008 });
    const memory = this.deps.memory.open(ownerOf(this.handshake.caller));
    const full = memory.take(data.length);
    this.waiting.push({ data: full === undefined ? data : nothing, memory, full });
    this.next();
  }

  onRoom(): void {
    this.running?.emit('drain');
  }

  onClose(): void {
    clearTimeout(this.lifetime);
    this.ending ??= { code: 1000 };
    this.dropWaiting();
    this.running?.leave();
    this.closed.resolve();
  }

  /** A stop does not wait for idle connections. */
  endWhenIdle(): void {
    this.end({ code: 1001 });
  }

  private end(ending: NonNullable<Connection['ending']>): void {
    this.ending ??= ending;
    this.dropWaiting();
    if (!this.running) this.close();
  }

  private dropWaiting(): void {
    for (const { memory } of this.waiting.splice(0)) memory.free();
  }

  private close(): void {
    const { code = 1000, error } = this.ending ?? {};
    clearTimeout(this.lifetime);
    if (error) this.send(errorMessage(error.status, { ...error.original, ...fieldsOf(error) }));
    void this.link.close(code, '').then(() => this.closed.resolve());
  }

  private send(event: JsonObject): void {
    this.link.send({ data: Buffer.from(JSON.stringify(event)), isBinary: false });
  }

  private next(): void {
    const message = this.running ? undefined : this.waiting.shift();
    if (!message) return;
    const sink = new SocketSink(this.link, () => this.end({ code: 1011 }));
    this.running = sink;
    void this.run(message, sink).finally(() => {
      this.running = undefined;
      if (this.ending) this.close();
      else this.next();
    });
  }

  /** One message: every failure of it is an error event, and the connection stays. */
  private async run({ data, memory, full }: Waiting, sink: SocketSink): Promise<void> {
    const { deps, handshake } = this;
    const startedAt = deps.clock();
    const client = new ClientStream(sink);
    client.open();
    const { caller, matched, req, path, query, ip } = handshake;
    const { inbound } = matched.route;
    const requestId = newRequestId(startedAt);
    const authorized: AuthorizedRequest = {
      req,
      res: sink,
      client,
      requestId,
      path,
      query,
      ip,
      matched,
      inbound,
      caller,
      startedAt,
      memory,
      isRateCounted: false,
      model: '',
      askedGroup: '',
      trace: undefined,
      invite: undefined,
      identifyAgain: () => undefined,
    };
    try {
      if (deps.isStopping()) throw refuse('shutting_down');
      authorized.caller = await handshake.identify();
      if (full !== undefined) throw noRoom(full);
      const { body, isWarmUp } = this.readMessage(data);
      const call = await readCall(deps, authorized, body);
      if (call.facts.inBackground) throw refuse('background_not_offered');
      const input = (): JsonObject[] => inputItems(call.json['input'], requestId);
      if (isWarmUp) return this.warmUp(sink, call.json, input(), `resp_${requestId}`);
      sink.onEnd = (response) => this.keep(response, input);
      await deps.serve({ ...call, req: { headers: ofOneCall(req.headers) } });
    } catch (error) {
      const reason = deps.refuse({ client, inbound, requestId, req, trace: undefined }, error);
      deps.onRefused(authorized, reason);
    } finally {
      memory.free();
    }
  }

  /** The body of a plain call, which is always streamed; it has the conversation of a response that is kept here. */
  private readMessage(data: Buffer): { body: Buffer; isWarmUp: boolean } {
    const message = parseObject(data);
    if (!message) throw refuse('invalid_json');
    const { type, generate, previous_response_id: previous, input } = message;
    if (type !== 'response.create') throw refuse('api_not_implemented');
    const changes = new Map<string, string | undefined>([
      ['type', undefined],
      ['generate', undefined],
      ['stream', 'true'],
    ]);
    const isKept = this.last !== undefined && previous === this.last.id && isInput(input);
    if (isKept && this.last) {
      changes.set('input', JSON.stringify(continuedInput(this.last, input)));
      changes.set('previous_response_id', undefined);
    } else if (generate === false && typeof previous === 'string')
      throw refuse('previous_response_not_found', { id: previous.slice(0, 100) });
    return { body: splice(data, changes), isWarmUp: generate === false };
  }

  /** Keeps a response that nothing else keeps, with its conversation. */
  private keep(response: JsonObject, input: () => JsonObject[]): void {
    this.last = undefined;
    if (response['store'] !== false) return;
    // A vendor looks for reasoning without its content among what it stores.
    const output = objectsIn(response['output']).filter(
      ({ type, encrypted_content: content }) => type !== 'reasoning' || typeof content === 'string',
    );
    const last = { id: textOf(response['id']), response: { output }, input: input() };
    if (JSON.stringify(last).length <= maxKept) this.last = last;
  }

  /** `generate: false` prepares a conversation that the next message continues. It calls no model and is free. */
  private warmUp(sink: SocketSink, json: JsonObject, input: JsonObject[], id: string): void {
    const details = {
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    };
    const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0, ...details };
    const { model = null } = json;
    const made = seconds(this.deps.clock);
    const response = { id, object: 'response', created_at: made, model, output: [], store: false };
    this.send({
      type: 'response.created',
      sequence_number: 0,
      response: { ...response, status: 'in_progress', usage: null },
    });
    this.keep(response, () => input);
    this.send({
      type: 'response.completed',
      sequence_number: 1,
      response: { ...response, status: 'completed', usage },
    });
    sink.end();
  }
}

/** Headers that concern a single call are not those of all calls of a connection. */
function ofOneCall(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  const { 'idempotency-key': _key, [product.headers.explain]: _explain, ...rest } = headers;
  return rest;
}

const fieldsOf = ({ type, code, message, param }: RelayError): JsonObject => ({
  type,
  code,
  message,
  param: param ?? null,
});

/** An error as a message: its fields in itself, as in a stream, and in `error`. */
const errorMessage = (status: number, error: JsonObject): JsonObject => ({
  type: 'error',
  status,
  code: error['code'] ?? null,
  message: error['message'] ?? '',
  param: error['param'] ?? null,
  sequence_number: 0,
  error,
});

/** The events of one answer as messages of a connection. */
class SocketSink extends EventEmitter implements ClientSink {
  headersSent = false;
  writableEnded = false;
  writableFinished = false;
  destroyed = false;
  /** Waits for room in the connection: nothing is buffered here. */
  readonly writableLength = 0;
  /** Called with a response that has ended, before its caller gets it. */
  onEnd: ((response: JsonObject) => void) | undefined;
  private readonly link: FrameLink;
  private readonly onBroken: () => void;
  private status = 0;
  /** Set once the head shows that a stream follows. */
  private scanner: SseScanner | undefined;
  private readonly whole: Buffer[] = [];

  /** @param onBroken - Ends the connection: what waits would be charged and not delivered. */
  constructor(link: FrameLink, onBroken: () => void) {
    super();
    this.link = link;
    this.onBroken = onBroken;
  }

  writeHead(status: number, headers: Record<string, string>): void {
    this.headersSent = true;
    this.status = status;
    if (headers['content-type']?.startsWith('text/event-stream')) this.scanner = new SseScanner();
  }

  write(chunk: Buffer): boolean {
    if (!this.scanner) this.whole.push(chunk);
    else for (const { data } of this.scanner.push(chunk)) this.sendEvent(data);
    return !this.link.isFull;
  }

  private sendEvent(data: string): void {
    if (/"response\.(?:completed|incomplete)"/.test(data)) {
      const { type, response } = parseObject(data) ?? {};
      if (type === 'response.completed' || type === 'response.incomplete') this.onEnd?.(objectOf(response));
    }
    this.link.send({ data: Buffer.from(data), isBinary: false });
  }

  addTrailers(): void {
    // A connection has no trailers: the cost is in the log.
  }

  end(chunk?: Buffer): void {
    if (this.writableEnded) return;
    if (chunk) this.write(chunk);
    this.writableEnded = true;
    this.writableFinished = true;
    for (const { data } of this.scanner?.end() ?? []) this.sendEvent(data);
    if (this.whole.length === 0) return;
    const { error } = parseObject(Buffer.concat(this.whole)) ?? {};
    this.sendEvent(JSON.stringify(errorMessage(this.status, objectOf(error))));
  }

  /** The answer broke off, and no event shows its end: the caller must not take it for complete. */
  destroy(): void {
    this.leave();
    this.onBroken();
  }

  /** The caller has disconnected. */
  leave(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.emit('close');
  }
}
