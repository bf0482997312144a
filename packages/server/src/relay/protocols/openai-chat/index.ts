import { readOpenaiError, openOpenaiPipe } from '../../families/openai/index.ts';
import type { CallerProtocol } from '../../types/index.ts';
import { chatMedia, openaiChatInbound, readChatText } from './inbound.ts';
import { OpenaiChatReader } from './read.ts';
import { readChatRequest } from './read-request.ts';
import { writeChatAnswer } from './write-answer.ts';
import { filesNeeded } from './write-part.ts';
import { writeChatRequest } from './write-request.ts';
import { OpenaiChatWriter } from './write.ts';

/** OpenAI Chat Completions, the protocol of most vendors. */
export const openaiChat: CallerProtocol = {
  id: 'openai-chat',
  inbound: openaiChatInbound,
  outbound: {
    id: 'openai-chat',
    openPipe: (setup) => {
      const readText = readChatText(setup.asked ?? {});
      return openOpenaiPipe({ list: 'choices', readText, hasText: true, mediaMarks: chatMedia.marks }, setup);
    },
    readError: readOpenaiError,
  },
  codec: {
    functionName: /^[\w-]{1,64}$/,
    schemas: [
      ['tools', '*', 'function', 'parameters'],
      ['functions', '*', 'parameters'],
      ['response_format', 'json_schema', 'schema'],
    ],
    media: chatMedia,
    openReader: () => new OpenaiChatReader(),
    openWriter: (options) => new OpenaiChatWriter(options),
    readAnswer(body, emit) {
      new OpenaiChatReader().readAnswer(body, emit);
    },
    writeAnswer: writeChatAnswer,
    readRequest: readChatRequest,
    writeRequest: writeChatRequest,
    filesNeeded,
  },
};
