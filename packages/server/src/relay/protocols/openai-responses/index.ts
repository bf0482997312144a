import { readOpenaiError } from '../../families/openai/index.ts';
import type { CallerProtocol } from '../../types/index.ts';
import { responsesInbound } from './inbound.ts';
import { readRequest } from './read-request.ts';
import { ResponsesReader } from './read.ts';
import { responsesMedia } from './text.ts';
import { openResponsesPipe } from './wire.ts';
import { writeRequest } from './write-request.ts';
import { ResponsesWriter, textsIn, writeResponsesAnswer } from './write.ts';

/** OpenAI Responses: items instead of messages, a sequence of events that ends with the whole response. */
export const openaiResponses: CallerProtocol = {
  id: 'openai-responses',
  inbound: responsesInbound,
  outbound: {
    id: 'openai-responses',
    openPipe: openResponsesPipe,
    readError: readOpenaiError,
  },
  codec: {
    functionName: /^[\w-]{1,64}$/,
    // The arguments of a search for tools; all others are texts.
    toolObjects: [
      ['input', '*', 'arguments'],
      ['input', '*', 'output'],
    ],
    schemas: [
      ['tools', '*', 'parameters'],
      ['tools', '*', 'tools', '*', 'parameters'],
      ['text', 'format', 'schema'],
    ],
    media: responsesMedia,
    openReader: () => new ResponsesReader(),
    openWriter: (options) => new ResponsesWriter(options),
    readAnswer(body, emit) {
      const reader = new ResponsesReader();
      reader.readBody(body, emit);
      reader.end(emit);
    },
    writeAnswer: writeResponsesAnswer,
    textsIn,
    readRequest,
    writeRequest,
  },
};

/**
 * OpenAI's compaction of a conversation (`POST /v1/responses/compact`): the request is one of Responses and the answer
 * has items and usage as a response has. Its items are encrypted by the vendor, so it is never translated, and vendors
 * store no response for it.
 */
export const openaiCompact: CallerProtocol = {
  id: 'openai-compact',
  inbound: {
    ...responsesInbound,
    id: 'openai-compact',
    // The answer is always whole; a vendor refuses fields that it does not know.
    readFacts: (body, sizes) =>
      responsesInbound.readFacts({ ...body, stream: undefined, background: undefined }, sizes),
  },
  outbound: {
    id: 'openai-compact',
    openPipe: openResponsesPipe,
    readError: readOpenaiError,
  },
};
