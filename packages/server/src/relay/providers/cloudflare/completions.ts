import { refuse } from '../../types/index.ts';
import { isObject, type JsonObject } from '../../../lib/json.ts';

/** Fields of `/ai/run` beside the prompt. */
const known = new Set([
  'prompt',
  'stream',
  'max_tokens',
  'temperature',
  'top_p',
  'top_k',
  'seed',
  'repetition_penalty',
  'frequency_penalty',
  'presence_penalty',
  'raw',
  'lora',
]);

/** Text completions of `/ai/run`: the model is in the path, and one prompt has one answer. */
export function adaptCompletion(body: JsonObject): undefined {
  const { prompt } = body;
  const [only] = Array.isArray(prompt) && prompt.length === 1 ? prompt : [prompt];
  if (typeof only !== 'string') {
    throw refuse('one_prompt_alone', { provider: 'Workers AI' });
  }
  if ((typeof body.n === 'number' && body.n > 1) || (typeof body.best_of === 'number' && body.best_of > 1)) {
    throw refuse('one_answer_alone', { provider: 'Workers AI' });
  }
  for (const key of Object.keys(body)) if (!known.has(key)) delete body[key];
  if (body.prompt !== only) body.prompt = only;
}

/** Some models answer with a number. */
export function responseText(result: JsonObject): string | undefined {
  const { response } = result;
  if (typeof response === 'string') return response;
  return typeof response === 'number' ? String(response) : undefined;
}

/**
 * A whole answer of `/ai/run`, `{result: {response, usage}, success}`, as a completion; other answers stay unchanged.
 */
export function rewriteCompletion(body: JsonObject, request: JsonObject, startedSeconds: number): JsonObject {
  const result = isObject(body.result) ? body.result : {};
  const text = responseText(result);
  if (text === undefined) return body;
  return {
    id: 'cmpl-workers-ai',
    object: 'text_completion',
    created: startedSeconds,
    model: request.model,
    choices: [{ index: 0, text, logprobs: null, finish_reason: 'stop' }],
    ...(isObject(result.usage) && { usage: result.usage }),
  };
}
