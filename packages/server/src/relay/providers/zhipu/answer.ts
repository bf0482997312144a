import { counter } from '@tollgate/contract';
import { answerOf, chunkOf, type OwnReader, openaiUsage } from '../../provider-kit/index.ts';
import {
  type Json,
  type JsonObject,
  numberOf,
  objectOf,
  objectsIn,
  parseObject,
  textOf,
} from '../../../lib/json.ts';
import type { SseEvent } from '../../../lib/sse/index.ts';
import type { StreamOrigin } from '../../types/index.ts';

/** Codes that identify the party at fault; all others are the vendor's own failures. */
const statuses: readonly [from: number, to: number, status: number][] = [
  // A bad word, or an account that is asleep, unknown or locked.
  [1000, 1112, 401],
  [1113, 1113, 402],
  [1121, 1121, 401],
  [1211, 1211, 404],
  [1210, 1219, 400],
  [1220, 1220, 403],
  [1221, 1222, 404],
  [1300, 1301, 400],
  [1302, 1305, 429],
];

const statusOf = (code: number): number =>
  statuses.find(([from, to]) => code >= from && code <= to)?.[2] ?? 502;

/** Error object inside a 200 answer, in OpenAI's format; undefined without one. */
function failureOf(body: JsonObject): JsonObject | undefined {
  if (body.success !== false && (body.code === undefined || body.code === 200)) return undefined;
  const code = numberOf(body.code);
  const message = textOf(body.msg) || textOf(body.message) || `code ${code}`;
  const status = statusOf(code);
  const type = status === 402 ? 'insufficient_quota' : 'zhipu_error';
  return { error: { message, type, code: String(code), status } };
}

const usageOf = (usage: Json | undefined): JsonObject | undefined => {
  const { prompt_tokens: input, completion_tokens: output, total_tokens: total } = objectOf(usage);
  // Some models report only the total.
  return openaiUsage(counter(input) || Math.max(0, counter(total) - counter(output)), counter(output));
};

/** Reads the events of a chat: text and usage. */
export class PromptReader implements OwnReader {
  ended = false;
  private readonly asked: StreamOrigin;
  private hasBegun = false;

  constructor(asked: StreamOrigin) {
    this.asked = asked;
  }

  read({ name, data }: SseEvent): readonly JsonObject[] {
    const { model, requestId, startedSeconds } = this.asked;
    const head = { id: `chatcmpl-${requestId}`, created: startedSeconds, model };
    if (name === 'add') {
      const delta = { ...(!this.hasBegun && { role: 'assistant' }), content: data };
      this.hasBegun = true;
      return [chunkOf(head, delta)];
    }
    const body = parseObject(data) ?? {};
    if (name === 'finish') {
      this.ended = true;
      return [chunkOf(head, {}, 'stop', usageOf(body.usage))];
    }
    if (name === 'interrupted') {
      this.ended = true;
      return [chunkOf(head, {}, 'content_filter', usageOf(body.usage))];
    }
    if (name !== 'error') return [];
    return [failureOf({ success: false, code: 0, msg: data, ...body }) ?? {}];
  }
}

/** A whole chat in OpenAI's format; other answers stay unchanged. */
export function rewritePrompt(body: JsonObject, request: JsonObject, startedSeconds: number): JsonObject {
  const failure = failureOf(body);
  if (failure) return failure;
  const data = objectOf(body.data);
  const [choice] = objectsIn(data.choices);
  if (!choice) return body;
  const head = { id: textOf(data.task_id), created: startedSeconds, model: textOf(request.model) };
  return answerOf(head, { content: unquoted(textOf(choice.content)) }, 'stop', usageOf(data.usage));
}

/** Whole answers are JSON texts within the text. */
function unquoted(text: string): string {
  if (!/^".*"$/s.test(text)) return text;
  try {
    return textOf(JSON.parse(text) as Json);
  } catch {
    return text;
  }
}
