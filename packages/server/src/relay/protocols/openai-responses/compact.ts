import { readOpenaiError } from '../../families/openai/index.ts';
import type { CallerProtocol } from '../../types/index.ts';
import { responsesInbound } from './inbound.ts';
import { openResponsesPipe } from './wire.ts';

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
