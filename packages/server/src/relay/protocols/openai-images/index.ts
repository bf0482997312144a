import { readOpenaiError, writeOpenaiError, writeOpenaiStreamError } from '../../families/openai/index.ts';
import type { CallerProtocol } from '../../types/index.ts';
import { readFacts } from './facts.ts';
import { openImagesPipe } from './wire.ts';

/** OpenAI images: generations and edits. Images pass as they come, as addresses or as base64. */
export const openaiImages: CallerProtocol = {
  id: 'openai-images',
  inbound: {
    id: 'openai-images',
    readFacts,
    writeError: writeOpenaiError,
    writeStreamError: writeOpenaiStreamError,
    ping: Buffer.from(': PING\n\n'),
  },
  outbound: { id: 'openai-images', openPipe: openImagesPipe, readError: readOpenaiError },
};
