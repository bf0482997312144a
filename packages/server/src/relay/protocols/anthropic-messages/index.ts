import { readOpenaiError } from '../../model/openai/error.ts';
import type { CallerProtocol } from '../../model/protocol.ts';
import { anthropicMessagesInbound } from './inbound.ts';
import { AnthropicReader } from './read.ts';
import { readAnthropicRequest } from './read-request.ts';
import { openAnthropicPipe } from './wire.ts';
import { writeAnthropicAnswer } from './write-answer.ts';
import { writeAnthropicRequest } from './write-request.ts';
import { AnthropicWriter } from './write.ts';

export { countable, countedTokens } from './count.ts';
export { adaptClaude, anthropicEndpoint, claudeHeaders } from './endpoint.ts';

/** Anthropic Messages, the language of Claude. */
export const anthropicMessages: CallerProtocol = {
  id: 'anthropic-messages',
  inbound: anthropicMessagesInbound,
  outbound: {
    id: 'anthropic-messages',
    openPipe: openAnthropicPipe,
    // Its error object stands where OpenAI's does, with a type and a message.
    readError: readOpenaiError,
  },
  codec: {
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
