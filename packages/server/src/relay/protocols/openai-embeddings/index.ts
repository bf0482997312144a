import type { JsonObject } from '../../../lib/json.ts';
import {
  readOpenaiError,
  writeOpenaiError,
  writeOpenaiStreamError,
  refuser,
  requiredText,
  wholeNumber,
  estimateInput,
  inputFacts,
  openOpenaiPipe,
  readUsageOnly,
} from '../../families/openai/index.ts';
import type { BodySizes, CallerProtocol, RequestFacts } from '../../types/index.ts';

const no = refuser('invalid_embedding_request');

function readFacts(body: JsonObject, sizes: BodySizes): RequestFacts {
  const model = requiredText(body, 'model', no);
  const { input } = body;
  const isGiven = typeof input === 'string' ? input !== '' : Array.isArray(input) && input.length > 0;
  if (!isGiven) return no('field_required', { field: 'input' });
  wholeNumber(body, 'dimensions', { least: 1, most: 2 ** 20, fallback: 1 }, no);
  return inputFacts(model, estimateInput(sizes));
}

/** OpenAI embeddings. Vectors pass unchanged, as numbers or as base64. */
export const openaiEmbeddings: CallerProtocol = {
  id: 'openai-embeddings',
  inbound: {
    id: 'openai-embeddings',
    readFacts,
    writeError: writeOpenaiError,
    writeStreamError: writeOpenaiStreamError,
    ping: Buffer.from(': PING\n\n'),
  },
  outbound: {
    id: 'openai-embeddings',
    openPipe: (setup) => openOpenaiPipe({ list: 'data', readText: readUsageOnly, hasText: false }, setup),
    readError: readOpenaiError,
  },
};
