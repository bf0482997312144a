import { counter } from '@tollgate/contract';
import { answerOf, type AnswerHead, chunkOf, type OwnReader, openaiUsage } from '../../provider-kit/index.ts';
import { entryOf, type JsonObject, objectOf, parseObject, textOf } from '../../../lib/json.ts';
import type { SseEvent } from '../../../lib/sse/index.ts';
import type { StreamOrigin } from '../../types/index.ts';

const reasons: Readonly<Record<string, string>> = {
  normal: 'stop',
  stop: 'stop',
  length: 'length',
  content_filter: 'content_filter',
  function_call: 'tool_calls',
};

/** Codes that identify the party at fault; all others are the vendor's own failures. */
const statuses: readonly [status: number, codes: readonly number[]][] = [
  [401, [6, 13, 14, 15, 110, 111, 336_004]],
  // A model is a path in this API: an unknown model is an unknown method.
  [404, [3]],
  [429, [4, 17, 18, 19, 336_100, 336_501, 336_502]],
  [400, [100, 336_001, 336_002, 336_003, 336_006, 336_007, 336_103, 336_104]],
];

/** The token is not Baidu's, or has expired. */
export const tokenRefusals: ReadonlySet<string> = new Set(['110', '111']);

/** Error object inside a 200 answer, in OpenAI's format; undefined without one. */
function failureOf(body: JsonObject): JsonObject | undefined {
  const { error_code: code, error_msg: words } = body;
  if (typeof code !== 'number' || code === 0) return undefined;
  const status = statuses.find(([, codes]) => codes.includes(code))?.[0] ?? 502;
  return {
    error: { message: `${textOf(words)} (${code})`, type: 'baidu_error', code: String(code), status },
  };
}

const usageOf = (body: JsonObject): JsonObject | undefined => {
  const usage = objectOf(body.usage);
  return openaiUsage(counter(usage.prompt_tokens), counter(usage.completion_tokens));
};

const headOf = (
  body: JsonObject,
  { model, startedSeconds }: Omit<StreamOrigin, 'requestId'>,
): AnswerHead => ({
  id: textOf(body.id),
  created: counter(body.created) || startedSeconds,
  model,
});

function callsIn(body: JsonObject): JsonObject | undefined {
  const { name, arguments: input } = objectOf(body.function_call);
  if (textOf(name) === '') return undefined;
  const id = `call_${textOf(body.id)}`;
  return { tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: textOf(input) } }] };
}

const reasonOf = (body: JsonObject): string =>
  callsIn(body)
    ? 'tool_calls'
    : (entryOf(reasons, textOf(body.finish_reason)) ?? (body.is_truncated ? 'length' : 'stop'));

/** Reads the events of a chat; the last one is marked. */
export class ErnieReader implements OwnReader {
  ended = false;
  private readonly asked: StreamOrigin;
  private hasBegun = false;

  constructor(asked: StreamOrigin) {
    this.asked = asked;
  }

  read({ data }: SseEvent): readonly JsonObject[] {
    const body = parseObject(data);
    if (!body) return [];
    const failure = failureOf(body);
    if (failure) return [failure];
    const head = headOf(body, this.asked);
    const text = textOf(body.result);
    const delta = {
      ...(!this.hasBegun && { role: 'assistant' }),
      ...(text !== '' && { content: text }),
      ...callsIn(body),
    };
    this.hasBegun = true;
    this.ended = body.is_end === true;
    return [this.ended ? chunkOf(head, delta, reasonOf(body), usageOf(body)) : chunkOf(head, delta)];
  }
}

/** A whole chat in OpenAI's format; other answers stay unchanged. */
export function rewriteErnie(body: JsonObject, request: JsonObject, startedSeconds: number): JsonObject {
  const failure = failureOf(body);
  if (failure) return failure;
  if (typeof body.result !== 'string') return body;
  const head = headOf(body, { model: textOf(request.model), startedSeconds });
  const calls = callsIn(body);
  return answerOf(head, { content: body.result, ...calls }, reasonOf(body), usageOf(body));
}

/** OpenAI's embeddings, except that errors have status 200. */
export const rewriteEmbeddings = (body: JsonObject): JsonObject => failureOf(body) ?? body;
