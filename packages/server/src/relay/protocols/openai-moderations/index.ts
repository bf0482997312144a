import type { JsonObject } from '../../model/json.ts';
import { readOpenaiError, writeOpenaiError, writeOpenaiStreamError } from '../../model/openai/error.ts';
import { refuser, requiredText } from '../../model/openai/guards.ts';
import { estimateInput, inputFacts } from '../../model/openai/input-size.ts';
import { openOpenaiPipe, readUsageOnly } from '../../model/openai/wire.ts';
import type { BodySizes, CallerProtocol, RequestFacts } from '../../model/protocol.ts';

const no = refuser('invalid_text_request');
/** What a body without a model means (wire-facts 5.2, step 2). */
const defaultModerationModel = 'text-moderation-stable';

function readFacts(body: JsonObject, sizes: BodySizes): RequestFacts {
  const { input } = body;
  const isGiven = typeof input === 'string' ? input !== '' : Array.isArray(input) && input.length > 0;
  if (!isGiven) return no('field input is required');
  const isNamed = body.model !== undefined && body.model !== null;
  return inputFacts(isNamed ? requiredText(body, 'model', no) : defaultModerationModel, estimateInput(sizes));
}

/** OpenAI moderations. The vendor reports no usage; what is charged is the input as counted. */
export const openaiModerations: CallerProtocol = {
  id: 'openai-moderations',
  inbound: {
    id: 'openai-moderations',
    readFacts,
    writeError: writeOpenaiError,
    writeStreamError: writeOpenaiStreamError,
    ping: Buffer.from(': PING\n\n'),
  },
  outbound: {
    id: 'openai-moderations',
    openPipe: (setup) => openOpenaiPipe({ list: 'results', readText: readUsageOnly, hasText: false }, setup),
    readError: readOpenaiError,
  },
};
