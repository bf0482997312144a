import { isObject, type JsonObject } from '../../../lib/json.ts';
import {
  readOpenaiError,
  addOpenaiUsage,
  writeOpenaiError,
  writeOpenaiStreamError,
  choicesOf,
  refuser,
  requiredText,
  streamOptionsOf,
  tokenBound,
  estimateInput,
  namesEnd,
  openOpenaiPipe,
  usageIn,
} from '../../families/openai/index.ts';
import type { TextSink } from '../../streams/index.ts';
import type { BodySizes, CallerProtocol, RequestFacts } from '../../types/index.ts';

const no = refuser('invalid_text_request');

function readFacts(body: JsonObject, sizes: BodySizes): RequestFacts {
  const model = requiredText(body, 'model', no);
  const { prompt } = body;
  if (typeof prompt !== 'string' && !Array.isArray(prompt)) return no('field_required', { field: 'prompt' });
  const prompts = Array.isArray(prompt) && typeof prompt[0] !== 'number' ? Math.max(1, prompt.length) : 1;
  // `best_of` answers are produced and charged, including those that are not returned.
  const choices = Math.max(choicesOf(body, 'n', no), choicesOf(body, 'best_of', no));
  return {
    model,
    ...streamOptionsOf(body, no),
    maxOutputTokens: tokenBound(body, 'max_tokens', no),
    estimatedInputTokens: estimateInput(sizes),
    choices: choices * prompts,
  };
}

/** Takes the text out of a chunk or a whole completion. */
function readText(body: JsonObject, sink: TextSink): void {
  const usage = usageIn(body);
  if (usage) sink.usage(usage);
  if (!Array.isArray(body.choices)) return;
  for (const choice of body.choices) {
    if (!isObject(choice)) continue;
    if (typeof choice.text === 'string') sink.output(choice.text);
    if (namesEnd(choice.finish_reason)) sink.finish();
  }
}

/** OpenAI's older text completions. */
export const openaiCompletions: CallerProtocol = {
  id: 'openai-completions',
  inbound: {
    id: 'openai-completions',
    readFacts,
    writeError: writeOpenaiError,
    writeStreamError: writeOpenaiStreamError,
    addUsage: addOpenaiUsage,
    ping: Buffer.from(': PING\n\n'),
  },
  outbound: {
    id: 'openai-completions',
    openPipe: (setup) => openOpenaiPipe({ list: 'choices', readText, hasText: true }, setup),
    readError: readOpenaiError,
  },
};
