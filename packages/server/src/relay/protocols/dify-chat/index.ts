import { unsupportedPassing } from '../../streams/index.ts';
import type { UpstreamProtocol } from '../../types/index.ts';
import { readDifyError } from './errors.ts';
import { DifyReader } from './read.ts';
import { writeDifyRequest } from './write-request.ts';

export { uploadFiles } from './upload-files.ts';

/** Dify's applications: chatbots, chatflows and agents. Callers cannot use it. */
export const difyChat: UpstreamProtocol = {
  id: 'dify-chat',
  outbound: { id: 'dify-chat', openPipe: unsupportedPassing('dify-chat'), readError: readDifyError },
  codec: {
    openReader: (settings = {}) => new DifyReader(settings.DIFY_DEBUG === true),
    readAnswer(body, emit) {
      const reader = new DifyReader(false);
      reader.readBody(body, emit);
      reader.end(emit);
    },
    writeRequest: writeDifyRequest,
  },
};
