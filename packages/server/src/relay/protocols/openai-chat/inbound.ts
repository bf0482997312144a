import { searchSizes } from '@tollgate/contract';
import { isObject, type JsonObject } from '../../model/json.ts';
import { writeOpenaiError, writeOpenaiStreamError } from '../../model/openai/error.ts';
import { choicesOf, refuser, requiredText, streamWish, tokenBound } from '../../model/openai/guards.ts';
import { estimateInput, mediaSize } from '../../model/openai/input-size.ts';
import type { BodySizes, Inbound, RequestFacts } from '../../model/protocol.ts';

const no = refuser('invalid_text_request');

/**
 * Reads what the gateway must know of a chat request. Fields that cost or steer nothing of ours are left to the vendor.
 */
function readFacts(body: JsonObject, sizes: BodySizes): RequestFacts {
  const { messages, web_search_options: search } = body;
  const model = requiredText(body, 'model', no);
  if (!Array.isArray(messages) || messages.length === 0) return no('field messages is required');
  for (const message of messages) {
    if (!isObject(message) || typeof message.role !== 'string') return no('each message needs a role');
  }
  const size = isObject(search) ? (search.search_context_size ?? undefined) : undefined;
  const searchSize = searchSizes.find((each) => each === size);
  if (size !== searchSize) return no('search_context_size must be one of: high, medium, low');
  const media = mediaSize(messages);
  return {
    model,
    ...streamWish(body, no),
    maxOutputTokens: Math.max(
      tokenBound(body, 'max_tokens', no),
      tokenBound(body, 'max_completion_tokens', no),
    ),
    estimatedInputTokens: estimateInput(sizes, media.binaryLength, media.tokens),
    choices: choicesOf(body, 'n', no),
    ...(searchSize && { searchSize }),
  };
}

export const openaiChatInbound: Inbound = {
  id: 'openai-chat',
  readFacts,
  writeError: writeOpenaiError,
  writeStreamError: writeOpenaiStreamError,
  ping: Buffer.from(': PING\n\n'),
};
