import {
  readGeminiError,
  readGeminiFailure,
  writeGeminiError,
  writeGeminiStreamError,
} from '../../model/gemini/error.ts';
import { readGeminiUsage } from '../../model/gemini/usage.ts';
import { isObject, type JsonObject, objectsIn, textOf } from '../../model/json.ts';
import { refuser } from '../../model/openai/guards.ts';
import { estimateInput, inputFacts } from '../../model/openai/input-size.ts';
import { JsonPass } from '../../model/passing/json-pass.ts';
import type { AnswerWire } from '../../model/passing/wire.ts';
import type {
  AnswerPipe,
  AnswerSetup,
  BodySizes,
  CallerProtocol,
  RequestFacts,
} from '../../model/protocol.ts';

const no = refuser('invalid_embedding_request');

/** Either one content, or a list of requests of one content each. */
function readFacts(body: JsonObject, sizes: BodySizes): RequestFacts {
  const model = textOf(body.model);
  if (model === '') return no('the path must name a model');
  const requests = body.requests === undefined ? [body] : objectsIn(body.requests);
  if (requests.length === 0) return no('requests must not be empty');
  if (!requests.every(({ content }) => isObject(content))) return no('content is not specified');
  return inputFacts(model, estimateInput(sizes));
}

function openPipe({ secrets, contentType, rewrite }: AnswerSetup): AnswerPipe {
  const wire: AnswerWire = {
    isAnswer: (body) => isObject(body.embedding) || Array.isArray(body.embeddings),
    readFailure: (body) => readGeminiFailure(body, secrets),
    readText: (body, sink) => {
      if (isObject(body.usageMetadata)) sink.usage(body.usageMetadata);
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
