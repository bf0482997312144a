import { counter } from '@tollgate/contract';
import { answerOf, type AnswerHead, chunkOf, type OwnReader, usageWords } from '../../provider-kit/index.ts';
import { type JsonObject, objectOf, objectsIn, parseObject, textOf } from '../../../lib/json.ts';
import type { SseEvent } from '../../../lib/sse/index.ts';
import type { AskedStream } from '../../types/index.ts';

const reasons: Readonly<Record<string, string>> = {
  sensitive: 'content_filter',
  tool_calls: 'tool_calls',
  length: 'length',
};

/** Whom a code blames, by how it begins; all others are the vendor's own trouble. */
const statuses: readonly [begin: RegExp, status: number][] = [
  [/^AuthFailure|^UnauthorizedOperation|^ResourceUnavailable/, 401],
  [/^RequestLimitExceeded|^LimitExceeded|^FailedOperation\.EngineRequestLimit/, 429],
  [/^FailedOperation\.(ResourcePackExhausted|FreeResourcePackExhausted|ServiceNotActivated)/, 402],
  [/^InvalidParameter|^MissingParameter|^UnsupportedParameter/, 400],
];

/** The failure that an object tells of, whole or in a stream, in OpenAI's words. */
export function failureOf(body: JsonObject): JsonObject | undefined {
  const error = objectOf(body.Error ?? body.ErrorMsg);
  const code = typeof error.Code === 'number' ? String(error.Code) : textOf(error.Code);
  const words = textOf(error.Message) || textOf(error.Msg);
  if (words === '' && (code === '' || code === '0')) return undefined;
  const status = statuses.find(([begin]) => begin.test(code))?.[1] ?? 502;
  return { error: { message: words === '' ? code : words, type: 'tencent_error', code, status } };
}

const usageOf = ({ Usage: usage }: JsonObject): JsonObject | undefined => {
  const { PromptTokens: input, CompletionTokens: output } = objectOf(usage);
  return usageWords(counter(input), counter(output));
};

const headOf = (body: JsonObject, { model, startedSeconds }: Omit<AskedStream, 'requestId'>): AnswerHead => ({
  id: textOf(body.Id),
  created: counter(body.Created) || startedSeconds,
  model,
});

/** A message, or a piece of one, in small letters. */
function wordsOf(message: JsonObject): JsonObject {
  const calls = objectsIn(message.ToolCalls).map((call, at) => {
    const { Name: name, Arguments: input } = objectOf(call.Function);
    return {
      index: typeof call.Index === 'number' ? call.Index : at,
      ...(textOf(call.Id) !== '' && { id: call.Id }),
      type: 'function',
      function: { ...(textOf(name) !== '' && { name }), arguments: textOf(input) },
    };
  });
  const thoughts = textOf(message.ReasoningContent);
  return {
    ...(textOf(message.Role) !== '' && { role: message.Role }),
    ...(thoughts !== '' && { reasoning_content: thoughts }),
    ...(textOf(message.Content) !== '' && { content: message.Content }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

/** Reads the events of a chat; each of them tells the usage so far. */
export class HunyuanReader implements OwnReader {
  ended = false;
  private readonly asked: AskedStream;

  constructor(asked: AskedStream) {
    this.asked = asked;
  }

  read({ data }: SseEvent): readonly JsonObject[] {
    const body = parseObject(data);
    if (!body) return [];
    const failure = failureOf(objectOf(body.Response)) ?? failureOf(body);
    if (failure) return [failure];
    const [choice] = objectsIn(body.Choices);
    if (!choice) return [];
    const head = headOf(body, this.asked);
    const delta = wordsOf(objectOf(choice.Delta));
    const reason = textOf(choice.FinishReason);
    this.ended = reason !== '';
    return [
      this.ended ? chunkOf(head, delta, reasons[reason] ?? 'stop', usageOf(body)) : chunkOf(head, delta),
    ];
  }
}

/** A whole chat as OpenAI's; what is none stays as it is. */
export function rewriteHunyuan(body: JsonObject, request: JsonObject, startedSeconds: number): JsonObject {
  const response = objectOf(body.Response);
  const failure = failureOf(response);
  if (failure) return failure;
  const [choice] = objectsIn(response.Choices);
  if (!choice) return body;
  const head = headOf(response, { model: textOf(request.model), startedSeconds });
  const reason = reasons[textOf(choice.FinishReason)] ?? 'stop';
  return answerOf(head, { content: null, ...wordsOf(objectOf(choice.Message)) }, reason, usageOf(response));
}
