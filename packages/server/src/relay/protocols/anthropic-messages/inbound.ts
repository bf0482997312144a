import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { refuser, requiredText, streamWish, tokenBound } from '../../model/openai/guards.ts';
import { estimateInput } from '../../model/openai/input-size.ts';
import type { BodySizes, Inbound, RequestFacts } from '../../model/protocol.ts';
import { writeAnthropicError, writeAnthropicStreamError } from './errors.ts';
import { mediaSize } from './input-size.ts';

export const no = refuser('invalid_claude_request');
const roles = new Set<unknown>(['user', 'assistant', 'system']);

/**
 * Reads what the gateway must know of a Messages request. `max_tokens` may be absent, unlike at Anthropic's own door:
 * option claude.default_max_tokens stands in for it (wire-facts 5.3).
 */
function readFacts(body: JsonObject, sizes: BodySizes): RequestFacts {
  const model = requiredText(body, 'model', no);
  const messages = checkMessages(body.messages);
  const { stream } = streamWish(body, no);
  const media = mediaSize(messages);
  return {
    model,
    stream,
    wantsStreamUsage: true,
    maxOutputTokens: tokenBound(body, 'max_tokens', no),
    estimatedInputTokens: estimateInput(sizes, media.binaryLength, media.tokens),
    choices: 1,
  };
}

function checkMessages(messages: Json | undefined): Json[] {
  if (!Array.isArray(messages) || messages.length === 0) return no('field messages is required');
  for (const message of messages) {
    if (!isObject(message) || !roles.has(message.role))
      return no('each message needs the role user or assistant');
    if (typeof message.content !== 'string' && !Array.isArray(message.content)) {
      return no('the content of each message must be a text or a list of blocks');
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
