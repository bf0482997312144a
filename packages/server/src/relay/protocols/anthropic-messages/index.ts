import { readOpenaiError } from '../../families/openai/index.ts';
import type { CallerProtocol } from '../../types/index.ts';
import { anthropicMessagesInbound } from './inbound.ts';
import { AnthropicReader } from './read/read.ts';
import { readAnthropicRequest } from './read/read-request.ts';
import { openAnthropicPipe } from './wire.ts';
import { writeAnthropicAnswer } from './write/write-answer.ts';
import { writeAnthropicRequest } from './write/write-request.ts';
import { AnthropicWriter } from './write/write.ts';

export { countable, countedTokens } from './count.ts';
export { adaptClaude, anthropicEndpoint, claudeHeaders } from './endpoint.ts';

/** Anthropic Messages, the protocol of Claude. */
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
