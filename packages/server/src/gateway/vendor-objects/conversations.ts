import { channelStatus } from '@tollgate/contract';
import { seconds } from '../../lib/clock.ts';
import { type Json, type JsonObject, objectOf, objectsIn, parseObject, textOf } from '../../lib/json.ts';
import { inputItems, listItems } from '../../relay/families/openai/index.ts';
import { type Channel, refuse, RelayError } from '../../relay/types/index.ts';
import type { KeptResponse } from '../../services/calls/routing/index.ts';
import type { GatewayDeps, RelayCall } from '../call/index.ts';
import { admitRate, checkRule, usingGroups } from '../entrance/index.ts';
import { chooseChannel, prepare } from './files.ts';
import type { StoredResponseCall } from './stored-responses.ts';
import { addressOf, askChannel, withoutBody } from '../tasks/index.ts';

/** A call about a conversation and its items. */
export interface ConversationCall {
  /** The caller, and an empty request, which gives the address and headers of a channel. */
  relayCall: RelayCall;
  method: StoredResponseCall['method'];
  /** '' for a new one. */
  conversationId: string;
  /** True for its items. */
  hasItems: boolean;
  /** The id of one item; '' for none. */
  itemId: string;
  /** The body of a POST. */
  json: JsonObject;
}

/** Most items in one call, as at OpenAI. */
const maxItems = 20;
const askTimeoutMs = 60_000;

/**
 * Serves a call about a conversation, for its user only. It is passed to the channel and key that keep it; the gateway
 * keeps it where no channel of the caller does, if it keeps responses. Costs nothing, but counts against the rate limits.
 */
export async function serveConversation(deps: GatewayDeps, asked: ConversationCall): Promise<void> {
  const { client, caller, requestId, askedGroup } = asked.relayCall;
  const [group = ''] = usingGroups(deps, caller, askedGroup);
  await admitRate(deps.rate, caller, group);
  const body = asked.conversationId === '' ? await create(deps, asked) : await answer(deps, asked);
  client.head(200, { 'content-type': 'application/json', ...deps.identityHeaders(requestId) });
  client.finish(body, {});
}

const bytesOf = (value: object): Buffer => Buffer.from(JSON.stringify(value));

async function create(deps: GatewayDeps, asked: ConversationCall): Promise<Buffer> {
  const { relayCall, json } = asked;
  const { caller, requestId, query } = relayCall;
  const items = itemsOf(json['items'] ?? []);
  const channel = findKeeper(deps, relayCall, new URLSearchParams(query).get('model') ?? '');
  if (channel) {
    const body = await pass(deps, asked, channel);
    const id = textOf(parseObject(body)?.['id']);
    if (id === '') throw refuse('answer_unreadable');
    await note(deps, caller.userId, id, channel);
    return body;
  }
  const id = `conv_${requestId}`;
  const { metadata = {} } = json;
  const created = { id, object: 'conversation', created_at: seconds(deps.clock), metadata };
  const kept = { response: created, input: inputItems(items, requestId) };
  if (!(await deps.keptResponses.keep(caller.userId, kept))) throw refuse('conversation_too_long');
  return bytesOf(created);
}

/** A channel of the caller whose vendor keeps conversations; undefined if the gateway must keep it itself. */
function findKeeper(deps: GatewayDeps, relayCall: RelayCall, model: string): Channel | undefined {
  try {
    return chooseChannel(deps, { relayCall, api: 'openai', model }).channel;
  } catch (error) {
    const isNone = error instanceof RelayError && error.code === 'api_not_implemented';
    if (!isNone || !deps.keptResponses.isOn()) throw error;
    return undefined;
  }
}

const note = (deps: GatewayDeps, userId: number, id: string, { id: channelId, chosenKey }: Channel) =>
  deps.storedResponses.note(userId, id, { id: channelId, keyId: chosenKey?.id ?? '' }, 'conversation');

/** The vendor's answer, for the caller. */
async function pass(deps: GatewayDeps, asked: ConversationCall, channel: Channel): Promise<Buffer> {
  const { relayCall, method, conversationId, hasItems, itemId, json } = asked;
  const call = await prepare(deps, relayCall, channel);
  // A channel may have changed its protocol since.
  if (call.local || call.protocol !== 'openai-responses') throw missing(conversationId);
  const path = [conversationId, ...(hasItems ? ['items'] : []), itemId]
    .filter((part) => part !== '')
    .map((part) => `/${encodeURIComponent(part)}`)
    .join('');
  const base = call.url.replace(/\/responses(?=$|\?)/, '/conversations');
  const body = method === 'POST' ? bytesOf(json) : undefined;
  const headers = {
    ...withoutBody(call.headers),
    ...(body && { 'content-type': 'application/json', 'content-length': String(body.length) }),
  };
  const url = addressOf(base, path, relayCall.query);
  const answered = await askChannel(deps, channel, call, {
    method,
    url,
    headers,
    body,
    timeoutMs: askTimeoutMs,
  });
  return answered.body;
}

const missing = (id: string): RelayError =>
  refuse('conversation_not_found', { id: id.slice(0, 100) }, { param: 'id' });

async function answer(deps: GatewayDeps, asked: ConversationCall): Promise<Buffer> {
  const { relayCall, method, conversationId: id, hasItems } = asked;
  const { userId } = relayCall.caller;
  const kept = await deps.keptResponses.find(userId, id);
  if (kept && isConversation(kept)) return answerKept(deps, asked, kept);
  const made = await deps.storedResponses.findChannel(userId, id);
  const routed = made?.kind === 'conversation' ? deps.routing.byId(made.id) : undefined;
  if (routed?.status !== channelStatus.enabled) throw missing(id);
  checkRule(relayCall.caller, routed.channel, id.slice(0, 100));
  const channel = deps.routing.withKey(routed.channel, made?.keyId);
  const body = await pass(deps, asked, channel);
  if (method === 'DELETE' && !hasItems) await deps.storedResponses.forget(userId, id);
  else await note(deps, userId, id, channel);
  return body;
}

/** True for a conversation among what the gateway keeps. */
const isConversation = ({ response }: KeptResponse): boolean => response['object'] === 'conversation';

async function answerKept(
  { keptResponses }: GatewayDeps,
  { relayCall, method, conversationId: id, hasItems, itemId, json }: ConversationCall,
  kept: KeptResponse,
): Promise<Buffer> {
  const { caller, query, requestId } = relayCall;
  const change = async (edit: (now: KeptResponse) => KeptResponse): Promise<KeptResponse> => {
    const changed = await keptResponses.change(caller.userId, id, edit);
    if (changed === 'too long') throw refuse('conversation_too_long');
    if (!changed) throw missing(id);
    return changed;
  };
  if (itemId !== '') {
    const item = kept.input.find((each) => each['id'] === itemId);
    if (!item) throw missing(itemId);
    if (method === 'GET') return bytesOf(item);
    const without = await change((now) => ({
      ...now,
      input: now.input.filter((each) => each['id'] !== itemId),
    }));
    return bytesOf(without.response);
  }
  if (hasItems && method === 'GET') return bytesOf(listItems(kept.input, new URLSearchParams(query)));
  if (hasItems) {
    const items = inputItems(itemsOf(json['items']), requestId);
    await change((now) => ({ ...now, input: [...now.input, ...items] }));
    return bytesOf(listItems(items, new URLSearchParams({ order: 'asc', limit: '100' })));
  }
  if (method === 'GET') return bytesOf(kept.response);
  if (method === 'DELETE') {
    await keptResponses.forget(caller.userId, id);
    return bytesOf({ id, object: 'conversation.deleted', deleted: true });
  }
  const metadata = objectOf(json['metadata']);
  const changed = await change((now) => ({ ...now, response: { ...now.response, metadata } }));
  return bytesOf(changed.response);
}

/** The items of a body. Throws for anything else. */
function itemsOf(items: Json | undefined): JsonObject[] {
  const read = objectsIn(items);
  if (!Array.isArray(items) || read.length !== items.length || read.length > maxItems)
    throw refuse('conversation_items_malformed', { most: maxItems });
  return read;
}
