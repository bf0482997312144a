import { imagesAsked } from '../../provider-kit/index.ts';
import { type JsonObject, objectOf, objectsIn, textOf } from '../../../lib/json.ts';
import { joinUrl } from '../../families/openai/index.ts';
import type { AdaptContext, Adapted, Endpoint } from '../../types/index.ts';
import { readDashscopeError, statusOf } from './errors.ts';

/** The path for new image tasks. */
export const synthesisPath = '/api/v1/services/aigc/text2image/image-synthesis';

const maker = { name: 'DashScope', most: 4, edits: false };

/** OpenAI's request for new images as a task of DashScope's. Its own parameters may be given in `parameters`. */
function adaptImages(body: JsonObject, context: AdaptContext): Adapted | undefined {
  const n = imagesAsked(body, context, maker);
  const { model, prompt, negative_prompt: negative, size, parameters } = body;
  for (const key of Object.keys(body)) delete body[key];
  body.model = model;
  body.input = { prompt, ...(negative !== undefined && { negative_prompt: negative }) };
  const asked = textOf(size);
  // The charge depends on `n`, so callers cannot override this field.
  body.parameters = { ...sizeOf(asked), ...objectOf(parameters), n };
  return undefined;
}

/** `1024x1024` → `1024*1024`; `auto` is omitted. */
const sizeOf = (asked: string): JsonObject =>
  /^\d+[x*]\d+$/.test(asked) ? { size: asked.replace('x', '*') } : {};

/** A finished task as OpenAI's images; each of its images succeeds or fails separately. */
function rewriteTask(answer: JsonObject, _request: JsonObject, startedSeconds: number): JsonObject {
  const output = objectOf(answer.output);
  if (output.task_status !== 'SUCCEEDED') return answer;
  const results = objectsIn(output.results);
  const data = results.map(imageOf).filter((image) => image !== undefined);
  if (data.length > 0) return { created: startedSeconds, data };
  const { code, message } = results[0] ?? output;
  const words = textOf(message) || 'the task was done and made no image';
  return { error: { message: words, type: 'upstream_error', code, status: statusOf(textOf(code)) } };
}

function imageOf({ url, b64_image: data, actual_prompt: revised }: JsonObject): JsonObject | undefined {
  const prompt = textOf(revised) === '' ? {} : { revised_prompt: revised };
  if (textOf(data) !== '') return { b64_json: data, ...prompt };
  return textOf(url) === '' ? undefined : { url, ...prompt };
}

/** New images: a task that is submitted, and polled until it is done (`waitForImages`). */
export const aliImages: Endpoint = {
  protocol: 'openai-images',
  isDialect: true,
  url: (channel) => joinUrl(channel, synthesisPath),
  headers: () => ({ 'x-dashscope-async': 'enable' }),
  adapt: adaptImages,
  rewrite: rewriteTask,
  readError: readDashscopeError,
};
