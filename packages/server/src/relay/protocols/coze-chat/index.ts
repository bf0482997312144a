import { unsupportedPassing } from '../../streams/index.ts';
import type { UpstreamProtocol } from '../../types/index.ts';
import { readCozeError } from './errors.ts';
import { CozeReader } from './read.ts';
import { writeCozeRequest } from './write-request.ts';

export { uploadFiles } from './upload-files.ts';

/** Coze's bots, version 3 of their chat. Callers cannot use it. */
export const cozeChat: UpstreamProtocol = {
  id: 'coze-chat',
  outbound: { id: 'coze-chat', openPipe: unsupportedPassing('coze-chat'), readError: readCozeError },
  codec: {
    openReader: () => new CozeReader(),
    readAnswer: (body, emit) => new CozeReader().readBody(body, emit),
    writeRequest: writeCozeRequest,
  },
};
