import { isObject, type Json, type JsonObject, objectOf, objectsIn, textOf } from '../../../lib/json.ts';
import { cacheMarks, hostedOffers, toolUses } from '../../conversation/index.ts';
import {
  addImage,
  conversationSize,
  inlineImage,
  type MediaSize,
  noMedia,
  refuser,
  requiredText,
  streamOptionsOf,
  tokenBound,
} from '../../families/openai/index.ts';
import type { BodySizes, Inbound, RelayError, RequestFacts } from '../../types/index.ts';
import { anthropicErrorType } from '@tollgate/contract/relay-errors';
import { addAnthropicUsage } from './usage.ts';

/** Assumed tokens of an image and of a document without pages; high numbers, because they are for holds. */
const tokens = { image: 1_600, document: 5_000 };

/** The base64 in a conversation, and the assumed tokens of its images and documents, tool results included. */
function mediaSize(messages: readonly Json[], model: string): MediaSize {
  const size = noMedia();
  for (const message of messages) if (isObject(message)) addContent(size, message.content, model);
  return size;
}

function addContent(size: MediaSize, content: Json | undefined, model: string): void {
  if (!Array.isArray(content)) return;
  for (const block of content) {
    if (!isObject(block)) continue;
    // A tool result holds blocks of its own, but no further results.
    if (block.type === 'tool_result' && Array.isArray(block.content)) addContent(size, block.content, model);
    const source = objectOf(block.source);
    const data = source.type === 'base64' ? textOf(source.data) : '';
    if (block.type === 'image') {
      addImage(size, inlineImage(data), model, tokens.image);
    } else if (block.type === 'document') {
      size.tokens += tokens.document;
      size.isOpen = true;
    } else continue;
    size.binaryLength += data.length;
  }
}

/** The start of such messages at Anthropic: its clients look for these words. */
const noMoney = 'Your credit balance is too low';

/** Anthropic's clients send the whole conversation after this refusal, and keep no thread any more. */
const threadless: JsonObject = { error_code: 'thread_unsupported_request', unsupported: ['thread'] };

function errorBody(error: RelayError, requestId: string): JsonObject {
  const { isBilling, message, words } = error;
  const said = isBilling && message === words?.en ? `${noMoney}: ${message}` : message;
  const own = {
    type: isBilling ? 'billing_error' : anthropicErrorType(error.status, error.type),
    message: `${said} (request id: ${requestId})`,
    ...(error.param === 'thread' && { details: threadless }),
  };
  return { type: 'error', error: error.original ?? own, request_id: requestId };
}

/** An error as an answer, in the shape of docs/compatibility.md#relay-errors (Claude style). */
const writeAnthropicError = (error: RelayError, requestId: string): { status: number; body: string } => ({
  status: error.status,
  body: JSON.stringify(errorBody(error, requestId)),
});

/** An error in mid-stream: an event that Anthropic's clients throw on. */
const writeAnthropicStreamError = (error: RelayError, requestId: string): Buffer =>
  Buffer.from(`event: error\ndata: ${JSON.stringify(errorBody(error, requestId))}\n\n`);

export const no = refuser('invalid_claude_request');
const roles = new Set<unknown>(['user', 'assistant', 'system']);

/**
 * Reads the facts of a Messages request. Unlike at Anthropic, `max_tokens` may be absent: the option
 * claude.default_max_tokens replaces it (docs/compatibility.md#steps-of-a-chat-call).
 */
function readFacts(body: JsonObject, sizes: BodySizes): RequestFacts {
  const model = requiredText(body, 'model', no);
  const messages = checkMessages(body.messages);
  const { stream } = streamOptionsOf(body, no);
  const media = mediaSize(messages, model);
  return {
    model,
    stream,
    wantsStreamUsage: true,
    maxOutputTokens: tokenBound(body, 'max_tokens', no),
    ...conversationSize(sizes, media),
    choices: 1,
    ...offered(body, model),
    ...cacheMarks({ cache_control: body.cache_control ?? null }, body.tools, body.system, messages),
    ...functionsOf(body),
  };
}

/** Tools without a schema from the caller, and MCP servers. */
function offered(
  { tools, mcp_servers: servers }: JsonObject,
  model: string,
): Pick<RequestFacts, 'hostedTools' | 'uses'> {
  const list = objectsIn(tools).filter(({ type }) => textOf(type) !== '' && type !== 'custom');
  const types = list.map(({ type }) => textOf(type));
  if (Array.isArray(servers) && servers.length > 0) types.push('mcp_servers');
  const most = new Map(list.map((tool) => [textOf(tool.type), tool.max_uses]));
  const hostedTools = hostedOffers('anthropic-messages', types, (type) => {
    const uses = most.get(type);
    return typeof uses === 'number' ? { mostUses: uses } : {};
  });
  return { ...(hostedTools && { hostedTools }), ...toolUses(model, hostedTools) };
}

/** Tools with a schema from the caller. */
const functionsOf = ({ tools }: JsonObject): Pick<RequestFacts, 'functions'> =>
  objectsIn(tools).some(({ type }) => type === undefined || type === 'custom') ? { functions: {} } : {};

function checkMessages(messages: Json | undefined): Json[] {
  if (!Array.isArray(messages) || messages.length === 0) return no('field_required', { field: 'messages' });
  for (const message of messages) {
    if (!isObject(message) || !roles.has(message.role)) return no('message_role_missing');
    if (typeof message.content !== 'string' && !Array.isArray(message.content)) {
      return no('content_not_blocks');
    }
  }
  return messages;
}

export const anthropicMessagesInbound: Inbound = {
  id: 'anthropic-messages',
  readFacts,
  writeError: writeAnthropicError,
  writeStreamError: writeAnthropicStreamError,
  addUsage: addAnthropicUsage,
  ping: Buffer.from('event: ping\ndata: {"type": "ping"}\n\n'),
};
