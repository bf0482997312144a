import { isObject, type Json, type JsonObject, objectsIn, textOf } from '../../../lib/json.ts';
import { hostedOffers } from '../../conversation/index.ts';
import {
  refuser,
  requiredText,
  streamOptionsOf,
  tokenBound,
  estimateInput,
} from '../../families/openai/index.ts';
import type { BodySizes, Inbound, RequestFacts } from '../../types/index.ts';
import { writeAnthropicError, writeAnthropicStreamError } from './errors.ts';
import { mediaSize } from './input-size.ts';

export const no = refuser('invalid_claude_request');
const roles = new Set<unknown>(['user', 'assistant', 'system']);

/**
 * Reads what the gateway must know of a Messages request. `max_tokens` may be absent, unlike at Anthropic's own door:
 * option claude.default_max_tokens stands in for it (docs/compatibility.md#steps-of-a-chat-call).
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
    estimatedInputTokens: estimateInput(sizes, media.binaryLength, media.tokens),
    ...(media.uncounted > 0 && { uncountedInputTokens: media.uncounted }),
    choices: 1,
    ...offered(body),
    ...functionsOf(body),
  };
}

/** Tools without a schema of the caller's, and servers of tools. */
function offered({ tools, mcp_servers: servers }: JsonObject): Pick<RequestFacts, 'hostedTools'> {
  const types = objectsIn(tools)
    .map(({ type }) => textOf(type))
    .filter((type) => type !== '' && type !== 'custom');
  if (Array.isArray(servers) && servers.length > 0) types.push('mcp_servers');
  const hostedTools = hostedOffers('anthropic-messages', types);
  return hostedTools ? { hostedTools } : {};
}

/** Tools with a schema of the caller's. */
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
  ping: Buffer.from('event: ping\ndata: {"type": "ping"}\n\n'),
};
