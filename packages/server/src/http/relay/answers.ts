import { parseObject } from '../../lib/json.ts';
import { refuse } from '../../relay/types/index.ts';
import type {
  Caller,
  RelayCall,
  StoredResponseCall,
  ConversationCall,
  ToolVisit,
} from '../../gateway/index.ts';
import { type FiguresDeps, keyFigures } from './key-figures.ts';
import { quote, type QuoteRouteDeps } from './quote.ts';
import { answerSale, type SaleRouteDeps } from './sales.ts';
import { answerContainers, type ContainerRouteDeps } from './containers.ts';
import { answerFiles, type FileDeps } from './files.ts';
import { answerCaches, type CacheRouteDeps } from './caches.ts';
import { makeLiveToken, makeSessionSecret, type SessionSecretDeps } from './session-secrets.ts';
import { endKey, makeKey, type RunKeyDeps } from './run-keys.ts';
import { geminiModel, listGeminiModels } from './models.ts';
import {
  type AuthorizedRequest,
  emptyCall,
  readBodyOf,
  readCall,
  type ReadDeps,
  readJson,
} from './read-call.ts';
import { describeModel, type ModelObject } from '@tollgate/contract';

interface AnthropicModel {
  type: 'model';
  id: string;
  display_name: string;
  created_at: string;
}

/** The fixed creation time the original gives every model. */
const createdAt = '2021-07-20T10:00:00Z';

const describe = (id: string): AnthropicModel => ({
  type: 'model',
  id,
  display_name: id,
  created_at: createdAt,
});

/** All models in one page, as Anthropic's list has them. */
const listAnthropicModels = (names: readonly string[]): object => ({
  data: names.map(describe),
  has_more: false,
  first_id: names[0] ?? null,
  last_id: names.at(-1) ?? null,
});

/** One model; an unknown one is a 404 in Anthropic's protocol. */
function anthropicModel(names: readonly string[], id: string): object {
  if (names.includes(id)) return describe(id);
  throw refuse('model_not_found', { model: id });
}

/** Describes a model; names that no provider lists belong to `custom`. */
const modelObject = (id: string, ownedBy: ReadonlyMap<string, string>): ModelObject =>
  describeModel(id, ownedBy.get(id));

export interface AnswerDeps
  extends
    ReadDeps,
    FiguresDeps,
    QuoteRouteDeps,
    RunKeyDeps,
    SaleRouteDeps,
    FileDeps,
    SessionSecretDeps,
    CacheRouteDeps,
    ContainerRouteDeps {
  /** The models that a caller may use, in the group that applies to them. */
  modelsFor(caller: Caller): readonly string[];
  ownedBy: ReadonlyMap<string, string>;
  identityHeaders(requestId: string): Record<string, string>;
  /** Counts the tokens of a request with the body of a call, by its vendor if possible. */
  countExchange(relayCall: RelayCall): Promise<number>;
  /** Serves a call about a conversation. */
  serveConversation(call: ConversationCall): Promise<void>;
  /** Passes a call about a stored response to its vendor, and the answer to the caller. */
  passStoredResponse(call: StoredResponseCall): Promise<void>;
  /** Answers a message of a client of tools. */
  serveTools(visit: ToolVisit): Promise<void>;
}

const saleKinds: ReadonlySet<string> = new Set(['hold', 'settle-hold', 'release-hold']);

/** Answers the relay paths that are not calls of a model. */
export async function answerVisit(deps: AnswerDeps, authorized: AuthorizedRequest): Promise<void> {
  if (authorized.matched.route.kind === 'stored-response') return passStored(deps, authorized);
  if (authorized.matched.route.kind === 'conversation') return passConversation(deps, authorized);
  if (authorized.matched.route.kind === 'file') return answerFiles(deps, authorized);
  if (authorized.matched.route.kind === 'container') return answerContainers(deps, authorized);
  if (authorized.matched.route.kind === 'tools') return answerTools(deps, authorized);
  const { body, headers } = saleKinds.has(authorized.matched.route.kind)
    ? await answerSale(deps, authorized)
    : { body: await composeAnswer(deps, authorized), headers: {} };
  authorized.client.head(200, {
    'content-type': 'application/json',
    ...deps.identityHeaders(authorized.requestId),
    ...headers,
  });
  authorized.client.finish(Buffer.from(JSON.stringify(body)), {});
}

function passStored(deps: AnswerDeps, authorized: AuthorizedRequest): Promise<void> {
  const { route, slots } = authorized.matched;
  const [, rest = ''] = route.path.split('{id}');
  const { id: responseId = '' } = slots;
  return deps.passStoredResponse({
    relayCall: emptyCall(authorized),
    method: route.method,
    responseId,
    rest,
  });
}

async function answerTools(deps: AnswerDeps, authorized: AuthorizedRequest): Promise<void> {
  // Nothing is sent between two requests, so there is no stream to open, and no session to end.
  if (authorized.matched.route.method !== 'POST') throw refuse('tools_only_post');
  const { json: message } = readJson(await readBodyOf(authorized, deps.maxBodyBytes));
  await deps.serveTools({ ...authorized, message });
}

async function passConversation(deps: AnswerDeps, authorized: AuthorizedRequest): Promise<void> {
  const { route, slots } = authorized.matched;
  const sent = route.method === 'POST' ? await readBodyOf(authorized, deps.maxBodyBytes) : undefined;
  const json = sent && sent.length > 0 ? parseObject(sent) : {};
  if (!json) throw refuse('invalid_json');
  return deps.serveConversation({
    relayCall: emptyCall(authorized),
    method: route.method,
    conversationId: slots['id'] ?? '',
    hasItems: route.path.includes('/items'),
    itemId: slots['item'] ?? '',
    json,
  });
}

async function composeAnswer(deps: AnswerDeps, authorized: AuthorizedRequest): Promise<object> {
  const { matched, caller, inbound } = authorized;
  const isGemini = inbound.id === 'gemini';
  switch (matched.route.kind) {
    case 'models': {
      const names = deps.modelsFor(caller);
      if (isGemini) return listGeminiModels(names);
      if (inbound.id === 'anthropic-messages') return listAnthropicModels(names);
      return { success: true, object: 'list', data: names.map((id) => modelObject(id, deps.ownedBy)) };
    }
    case 'model': {
      const name = matched.slots['model'] ?? '';
      if (isGemini) return geminiModel(deps.modelsFor(caller), name);
      if (inbound.id === 'anthropic-messages') return anthropicModel(deps.modelsFor(caller), name);
      return oneModel(deps, caller, name);
    }
    case 'count-tokens': {
      const tokens = await deps.countExchange(await readCall(deps, authorized));
      if (isGemini) return { totalTokens: tokens };
      const isResponse = inbound.id === 'openai-responses';
      return { ...(isResponse && { object: 'response.input_tokens' }), input_tokens: tokens };
    }
    case 'quote':
      return quote(deps, authorized);
    case 'figures':
      return keyFigures(deps, authorized);
    case 'make-key':
      return makeKey(deps, authorized);
    case 'end-key':
      return endKey(deps, authorized);
    case 'cache':
      return answerCaches(deps, authorized);
    case 'session-secret':
      return isGemini ? makeLiveToken(deps, authorized) : makeSessionSecret(deps, authorized);
    case 'not-implemented':
      throw refuse('api_not_implemented');
    case 'realtime':
      throw refuse('upgrade_required');
    case 'hold':
    case 'settle-hold':
    case 'release-hold':
    case 'task':
    case 'stored-response':
    case 'conversation':
    case 'file':
    case 'container':
    case 'tools':
    case 'relay':
      throw new Error('these calls are answered elsewhere');
  }
}

/** One model; an unknown one is a 404, because clients take any answer with 200 for a model. */
function oneModel(deps: AnswerDeps, caller: Caller, id: string): object {
  if (deps.modelsFor(caller).includes(id)) return modelObject(id, deps.ownedBy);
  throw refuse('model_not_found', { model: id }, { type: 'invalid_request_error', param: 'model' });
}
