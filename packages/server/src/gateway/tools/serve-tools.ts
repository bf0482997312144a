import { product } from '@tollgate/contract';
import { isObject, type Json, type JsonObject, textOf } from '../../lib/json.ts';
import { randomText } from '../../lib/random.ts';
import { applyModelMapping } from '../../relay/outgoing.ts';
import type { Channel, RelayError } from '../../relay/types/index.ts';
import type { Caller, RelayCall } from '../call/index.ts';
import { modelsFor, readTags, ruleBar, usingGroups } from '../entrance/index.ts';
import { FailedCall, shownError, toRelayError } from '../failover/index.ts';
import { toolNamed, type ToolProgress, ToolServerError } from '../upstream/index.ts';
import { type CalledTool, callTool, type ToolDeps } from './call-tool.ts';

/** A message of a client, and its caller. */
export type ToolVisit = Pick<
  RelayCall,
  | 'req'
  | 'res'
  | 'client'
  | 'requestId'
  | 'inbound'
  | 'caller'
  | 'ip'
  | 'path'
  | 'query'
  | 'startedAt'
  | 'trace'
> & { message: JsonObject };

/** Dependencies of the endpoint for clients. */
export interface ToolHouse extends ToolDeps {
  /** The version of this program. */
  version: string;
  /** Cancellations of clients, which may arrive in another process than the call. */
  cancellations: {
    publish(notice: string): Promise<void>;
    subscribe(listener: (notice: string) => void): Promise<unknown>;
  };
}

/** Lists of more channels would take too long. */
const maxChannels = 100;
/** Error codes of JSON-RPC: a request that is wrong, and our own range. */
const invalidParams = -32_602;
const serverError = -32_000;
const methodNotFound = -32_601;

const sessionHeader = 'mcp-session-id';
const sessionLength = 32;

/** Running calls of this process that their clients can cancel, by the notice of a cancellation. */
class Cancellations {
  private readonly running = new Map<string, AbortController>();
  private listening: Promise<unknown> | undefined;
  private readonly house: Pick<ToolHouse, 'cancellations'>;

  constructor(house: Pick<ToolHouse, 'cancellations'>) {
    this.house = house;
  }

  /** Registers a call; the function removes it. A client without a session cannot name one of its calls. */
  add(visit: ToolVisit, id: Json | undefined, controller: AbortController): () => void {
    const notice = noticeOf(visit, id);
    if (notice === undefined) return () => undefined;
    this.listening ??= this.house.cancellations
      .subscribe((each) => this.running.get(each)?.abort())
      .catch(() => (this.listening = undefined));
    this.running.set(notice, controller);
    return () => this.running.delete(notice);
  }

  async cancel(visit: ToolVisit, id: Json | undefined): Promise<void> {
    const notice = noticeOf(visit, id);
    if (notice === undefined) return;
    const here = this.running.get(notice);
    if (here) here.abort();
    else await this.house.cancellations.publish(notice).catch(() => undefined);
  }
}

/** Names a request of a session of a key, which no other key can name. */
function noticeOf(
  { caller: { tokenId }, req: { headers } }: ToolVisit,
  id: Json | undefined,
): string | undefined {
  const session = headers[sessionHeader];
  if (
    typeof session !== 'string' ||
    session.length > 100 ||
    (typeof id !== 'string' && typeof id !== 'number')
  )
    return undefined;
  return `${tokenId} ${session} ${JSON.stringify(id).slice(0, 200)}`;
}

/** Opens the endpoint at which clients find and call the tools of all servers that they may use. */
export function openTools(house: ToolHouse): (visit: ToolVisit) => Promise<void> {
  const cancellations = new Cancellations(house);
  return async (visit) => {
    const { message, client, requestId } = visit;
    if (message['method'] === 'notifications/cancelled') {
      const params = isObject(message['params']) ? message['params'] : {};
      await cancellations.cancel(visit, params['requestId']);
    }
    const { response, late } = await answer(house, visit, cancellations);
    const isStream = response.headers.get('content-type') === 'text/event-stream';
    const whole = isStream ? undefined : Buffer.from(await response.arrayBuffer());
    client.head(response.status, {
      ...Object.fromEntries(response.headers),
      ...house.gateway.identityHeaders(requestId),
      ...(message['method'] === 'initialize' && { [sessionHeader]: randomText(sessionLength) }),
      ...(isStream && { trailer: product.headers.cost }),
    });
    if (isStream && response.body) for await (const piece of response.body) client.push(Buffer.from(piece));
    client.finish(whole, late());
  };
}

/**
 * The answer of the official server to one message. It is made for the message and keeps nothing, so any process can
 * answer the next one; `late` are headers that are known once the answer has been read.
 */
async function answer(
  house: ToolHouse,
  visit: ToolVisit,
  cancellations: Cancellations,
): Promise<{ response: Response; late: () => Record<string, string> }> {
  // Loaded with the first message.
  const [{ Server }, { WebStandardStreamableHTTPServerTransport: Transport }] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/index.js'),
    import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
  ]);
  const { message, req } = visit;
  let charged: number | undefined;
  const server = new Server({ name: product.name, version: house.version }, { capabilities: { tools: {} } });
  // Results pass as they are, also those of newer versions than ours.
  server.fallbackRequestHandler = async ({ method, params = {} }, { signal, sendNotification }) => {
    if (method === 'tools/list') return { tools: await listTools(house, visit) };
    if (method !== 'tools/call') throw Object.assign(new Error('Method not found'), { code: methodNotFound });
    const controller = new AbortController();
    signal.addEventListener('abort', () => controller.abort(), { once: true });
    const token = isObject(params['_meta']) ? params['_meta']['progressToken'] : undefined;
    const progressed = (progress: ToolProgress): void => {
      const told = { method: 'notifications/progress', params: { ...progress, progressToken: token } };
      // A caller who has left misses it.
      sendNotification(told as Parameters<typeof sendNotification>[0]).catch(() => undefined);
    };
    const forget = cancellations.add(visit, message['id'], controller);
    try {
      const called = await call(house, visit, params as JsonObject, {
        onProgress: token === undefined ? undefined : progressed,
        cancelled: controller.signal,
      });
      ({ charged } = called);
      if (!called.result) throw Object.assign(new Error('Request cancelled'), { code: serverError });
      return called.result;
    } finally {
      forget();
    }
  };
  const { accept = '*/*' } = req.headers;
  const transport = new Transport({ enableJsonResponse: !accept.includes('text/event-stream') });
  await server.connect(transport);
  const headers = new Headers();
  for (const [name, value] of Object.entries(req.headers))
    if (typeof value === 'string') headers.set(name, value);
  // Programs without the official client ask for one kind, or for any.
  headers.set('accept', 'application/json, text/event-stream');
  const request = new Request(`http://localhost${visit.path}`, { method: 'POST', headers });
  const response = await transport.handleRequest(request, { parsedBody: message });
  const late = (): Record<string, string> =>
    charged === undefined ? {} : { [product.headers.cost]: String(charged) };
  return { response, late };
}

/** The tools of the servers that a caller may use, under their names here; those of a server without an answer are missing. */
async function listTools(deps: ToolDeps, { caller }: Pick<ToolVisit, 'caller'>): Promise<JsonObject[]> {
  const offered = toolsOf(deps, caller);
  const lists = await Promise.all(
    [...offered].slice(0, maxChannels).map(async ([channel, models]) => {
      try {
        const tools = await deps.servers.tools(deps.gateway.routing.withKey(channel));
        return models.flatMap((model) => {
          const found = toolNamed(tools, applyModelMapping(channel.modelMapping, model));
          return found ? [{ ...found, name: model }] : [];
        });
      } catch (err) {
        deps.gateway.log.warn({ channel: channel.id, err }, 'a tool server did not list its tools');
        return [];
      }
    }),
  );
  return lists.flat().sort((one, other) => (textOf(one['name']) < textOf(other['name']) ? -1 : 1));
}

/** The first channel of each tool that a caller may call, with its tools. */
function toolsOf(deps: ToolDeps, caller: Caller): Map<Channel, string[]> {
  const { gateway } = deps;
  const groups = usingGroups(gateway, caller, '');
  const found = new Map<Channel, string[]>();
  for (const model of modelsFor(gateway, caller)) {
    const channel = groups
      .flatMap((group) => gateway.routing.candidates(group, model))
      .flatMap(({ channels }) => channels)
      .find((each) => deps.isToolServer(each) && ruleBar(caller, each) === undefined);
    if (!channel) continue;
    const models = found.get(channel);
    if (models) models.push(model);
    else found.set(channel, [model]);
  }
  return found;
}

/** Calls a tool. Rejects with an error of JSON-RPC, in the caller's language. */
async function call(
  house: ToolHouse,
  visit: ToolVisit,
  params: JsonObject,
  order: Pick<Parameters<typeof callTool>[2], 'onProgress' | 'cancelled'>,
): Promise<CalledTool> {
  const { gateway } = house;
  const { message: _, ...rest } = visit;
  const relayCall: RelayCall = {
    ...rest,
    raw: Buffer.alloc(0),
    // Texts of the caller are searched for forbidden words in this field.
    json: { input: params['arguments'] ?? {} },
    facts: {
      model: textOf(params['name']).slice(0, 200),
      stream: false,
      wantsStreamUsage: false,
      maxOutputTokens: 0,
      estimatedInputTokens: 0,
      choices: 1,
    },
    askedGroup: '',
    tags: undefined,
  };
  try {
    const tags = readTags(relayCall, {});
    return await callTool(house, { ...relayCall, tags }, { ...order, params });
  } catch (thrown) {
    const error = toRelayError(gateway.log, relayCall, thrown);
    gateway.onRefused(relayCall, error, thrown instanceof FailedCall ? thrown : undefined);
    if (error instanceof ToolServerError) throw Object.assign(new Error(error.rpc.message), error.rpc);
    throw rpcError(shownError(gateway, visit.req, error), visit.requestId);
  }
}

/** A refusal in JSON-RPC, which the official server writes. */
const rpcError = (error: RelayError, requestId: string): Error =>
  Object.assign(new Error(), rpcObject(error, requestId));

/** The error object of a refusal in JSON-RPC. */
export const rpcObject = (
  error: RelayError,
  requestId: string,
): { code: number; message: string; data: JsonObject } => ({
  code: error.status === 400 || error.status === 404 ? invalidParams : serverError,
  message: `${error.message} (request id: ${requestId})`,
  data: {
    code: error.code,
    status: error.status,
    request_id: requestId,
    ...(error.retryAfterSeconds !== undefined && { retry_after: error.retryAfterSeconds }),
  },
});
