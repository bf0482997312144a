import {
  readGeminiError,
  readGeminiFailure,
  writeGeminiError,
  writeGeminiStreamError,
  readGeminiUsage,
} from '../../families/google/index.ts';
import { isObject, type JsonObject, objectsIn, textOf } from '../../../lib/json.ts';
import { refuser, estimateInput, inputFacts } from '../../families/openai/index.ts';
import { JsonPass, type AnswerWire } from '../../streams/index.ts';
import type { AnswerPipe, AnswerSetup, BodySizes, CallerProtocol, RequestFacts } from '../../types/index.ts';

const no = refuser('invalid_embedding_request');

/** Either one content, or a list of requests of one content each. */
function readFacts(body: JsonObject, sizes: BodySizes): RequestFacts {
  const model = textOf(body.model);
  if (model === '') return no('path_without_model');
  const requests = body.requests === undefined ? [body] : objectsIn(body.requests);
  if (requests.length === 0) return no('field_empty', { field: 'requests' });
  if (!requests.every(({ content }) => isObject(content)))
    return no('field_not_specified', { field: 'content' });
  return inputFacts(model, estimateInput(sizes));
}

function openPipe({ secrets, contentType, rewrite }: AnswerSetup): AnswerPipe {
  const wire: AnswerWire = {
    isAnswer: (body) => isObject(body.embedding) || Array.isArray(body.embeddings),
    hasContent: (body) =>
      isObject(body.embedding) || (Array.isArray(body.embeddings) && body.embeddings.length > 0),
    readFailure: (body) => readGeminiFailure(body, secrets),
    readText: (body, sink) => {
      const { usageMetadata, tokenCount } = body;
      if (isObject(usageMetadata)) sink.usage(usageMetadata);
      // In a batch, as a text.
      else if (tokenCount !== undefined) sink.usage({ promptTokenCount: Number(tokenCount) });
    },
    hasText: false,
    usageKey: 'usageMetadata',
  };
  return new JsonPass(contentType, { wire, readUsage: readGeminiUsage, rewrite });
}

/** Gemini's embeddings: `embedContent` and `batchEmbedContents`. */
export const geminiEmbeddings: CallerProtocol = {
  id: 'gemini-embeddings',
  inbound: {
    id: 'gemini-embeddings',
    readFacts,
    writeError: writeGeminiError,
    writeStreamError: writeGeminiStreamError,
    ping: Buffer.from(': PING\n\n'),
  },
  outbound: { id: 'gemini-embeddings', openPipe, readError: readGeminiError },
};
