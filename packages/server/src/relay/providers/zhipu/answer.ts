import { counter } from '@tollgate/contract';
import { answerOf, chunkOf, type OwnReader, usageWords } from '../../provider-kit/index.ts';
import { type Json, type JsonObject, objectOf, objectsIn, parseObject, textOf } from '../../../lib/json.ts';
import type { SseEvent } from '../../../lib/sse/index.ts';
import type { AskedStream } from '../../types/index.ts';

/** Codes that say who is at fault; all others are the vendor's own trouble. */
function statusOf(code: number): number {
  if (code >= 1000 && code < 1110) return 401;
  if (code === 1113) return 402;
  if (code >= 1210 && code < 1220) return 400;
  if (code === 1301) return 400;
  return code >= 1302 && code <= 1305 ? 429 : 502;
}

/** The failure that an answer tells of in a success, in OpenAI's words; undefined where it tells of none. */
export function failureOf(body: JsonObject): JsonObject | undefined {
  if (body.success !== false && (body.code === undefined || body.code === 200)) return undefined;
  const code = Number(body.code);
  const message = textOf(body.msg) || textOf(body.message) || `code ${code}`;
  return { error: { message, type: 'zhipu_error', code: String(code), status: statusOf(code) } };
}

const usageOf = (usage: Json | undefined): JsonObject | undefined => {
  const { prompt_tokens: input, completion_tokens: output, total_tokens: total } = objectOf(usage);
  // Some models tell the total alone.
  return usageWords(counter(input) || Math.max(0, counter(total) - counter(output)), counter(output));
};

/** Reads the events of a chat: text, and what it came to. */
export class PromptReader implements OwnReader {
  ended = false;
  private readonly asked: AskedStream;
  private hasBegun = false;

  constructor(asked: AskedStream) {
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

/** A whole chat as OpenAI's; what is none stays as it is. */
export function rewritePrompt(body: JsonObject, request: JsonObject, startedSeconds: number): JsonObject {
  const failure = failureOf(body);
  if (failure) return failure;
  const data = objectOf(body.data);
  const [choice] = objectsIn(data.choices);
  if (!choice) return body;
  const head = { id: textOf(data.task_id), created: startedSeconds, model: textOf(request.model) };
  return answerOf(head, { content: unquoted(textOf(choice.content)) }, 'stop', usageOf(data.usage));
}

/** Whole answers come as JSON texts within the text. */
function unquoted(text: string): string {
  if (!/^".*"$/s.test(text)) return text;
  try {
    return textOf(JSON.parse(text) as Json);
  } catch {
    return text;
  }
}
