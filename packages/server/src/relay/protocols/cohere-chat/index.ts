import { readOpenaiError } from '../../families/openai/index.ts';
import { unsupportedPassing } from '../../streams/index.ts';
import type { UpstreamProtocol } from '../../types/index.ts';
import { CohereReader } from './read.ts';
import { filesNeeded } from './write-part.ts';
import { writeCohereRequest } from './write-request.ts';

/** Cohere's chat, version 2. Only Cohere uses it: callers of all protocols are translated to it. */
export const cohereChat: UpstreamProtocol = {
  id: 'cohere-chat',
  // Cohere's error text is in `message`.
  outbound: { id: 'cohere-chat', openPipe: unsupportedPassing('cohere-chat'), readError: readOpenaiError },
  codec: {
    openReader: () => new CohereReader(),
    readAnswer(body, emit) {
      const reader = new CohereReader();
      reader.readBody(body, emit);
      reader.end(emit);
    },
    writeRequest: writeCohereRequest,
    filesNeeded,
  },
};
