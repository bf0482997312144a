import { readOpenaiError } from '../../families/openai/index.ts';
import type { CallerProtocol } from '../../types/index.ts';
import { anthropicMessagesInbound } from './inbound.ts';
import { AnthropicReader } from './read/read.ts';
import { readAnthropicRequest } from './read/read-request.ts';
import { openAnthropicPipe } from './wire.ts';
import { writeAnthropicAnswer } from './write/write-answer.ts';
import { writeAnthropicRequest } from './write/write-request.ts';
import { AnthropicWriter } from './write/write.ts';
import type { JsonObject } from '../../../lib/json.ts';

/** Fields that affect the answer and not the input: the vendor refuses them in a count. */
const answerOnly = new Set([
  'max_tokens',
  'metadata',
  'service_tier',
  'stop_sequences',
  'stream',
  'temperature',
  'top_k',
  'top_p',
]);

/** The fields of a call that are part of a count of its tokens. */
export const countable = (body: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !answerOnly.has(name)));

/** The vendor's token count; undefined without a number. */
export const countedTokens = ({ input_tokens: tokens }: JsonObject): number | undefined =>
  typeof tokens === 'number' ? tokens : undefined;

export { adaptClaude, anthropicEndpoint, claudeHeaders, withoutThread } from './endpoint.ts';

/** Anthropic Messages, the protocol of Claude. */
export const anthropicMessages: CallerProtocol = {
  id: 'anthropic-messages',
  inbound: anthropicMessagesInbound,
  outbound: {
    id: 'anthropic-messages',
    openPipe: openAnthropicPipe,
    // Its error object is in the same place as OpenAI's, with a type and a message.
    readError: readOpenaiError,
  },
  codec: {
    functionName: /^[\w-]{1,128}$/,
    toolObjects: [
      ['messages', '*', 'content', '*', 'input'],
      ['content', '*', 'input'],
    ],
    schemas: [
      ['tools', '*', 'input_schema'],
      ['output_config', 'format', 'schema'],
      ['output_format', 'schema'],
    ],
    openReader: () => new AnthropicReader(),
    openWriter: (options) => new AnthropicWriter(options),
    readAnswer(body, emit) {
      const reader = new AnthropicReader();
      reader.readBody(body, emit);
      reader.end(emit);
    },
    writeAnswer: writeAnthropicAnswer,
    readRequest: readAnthropicRequest,
    writeRequest: writeAnthropicRequest,
  },
};
