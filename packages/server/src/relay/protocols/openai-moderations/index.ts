import type { JsonObject } from '../../../lib/json.ts';
import {
  readOpenaiError,
  writeOpenaiError,
  writeOpenaiStreamError,
  refuser,
  requiredText,
  estimateInput,
  inputFacts,
  mediaSize,
  openOpenaiPipe,
  readUsageOnly,
} from '../../families/openai/index.ts';
import type { BodySizes, CallerProtocol, RequestFacts } from '../../types/index.ts';

const no = refuser('invalid_text_request');
/** Default model of a body without one (docs/compatibility.md#channel-selection, step 2). */
const defaultModerationModel = 'text-moderation-stable';

function readFacts(body: JsonObject, sizes: BodySizes): RequestFacts {
  const { input } = body;
  const isGiven = typeof input === 'string' ? input !== '' : Array.isArray(input) && input.length > 0;
  if (!isGiven) return no('field_required', { field: 'input' });
  const isNamed = body.model !== undefined && body.model !== null;
  const model = isNamed ? requiredText(body, 'model', no) : defaultModerationModel;
  // Images in it are no text; the vendor charges nothing for them.
  const images = Array.isArray(input) ? mediaSize([{ content: input }], model).binaryLength : 0;
  return inputFacts(model, estimateInput(sizes, images));
}

/** OpenAI moderations. The vendor reports no usage, so the counted input is charged. */
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
