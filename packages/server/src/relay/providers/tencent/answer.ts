import { counter } from '@tollgate/contract';
import { answerOf, type AnswerHead, chunkOf, type OwnReader, openaiUsage } from '../../provider-kit/index.ts';
import { entryOf, type JsonObject, objectOf, objectsIn, parseObject, textOf } from '../../../lib/json.ts';
import type { SseEvent } from '../../../lib/sse/index.ts';
import type { StreamOrigin } from '../../types/index.ts';

const reasons: Readonly<Record<string, string>> = {
  stop: 'stop',
  sensitive: 'content_filter',
  tool_calls: 'tool_calls',
  length: 'length',
};

/** Maps an error-code prefix to the party at fault; all others are the vendor's. */
const statuses: readonly [begin: RegExp, status: number][] = [
  [/^AuthFailure|^UnauthorizedOperation|^FailedOperation\.UserUnAuthError/, 401],
  [/^(Request)?LimitExceeded|^FailedOperation\.Engine(Request|Server)Limit/, 429],
  // The purchased quota is used up or missing: the operator must act.
  [
    /^FailedOperation\.((Free)?ResourcePackExhausted|Service(NotActivated|Stop))|^Resource(Insufficient|Unavailable)/,
    402,
  ],
  [/^FailedOperation\.EngineRequestTimeout/, 504],
  [/^InvalidParameterValue\.Model|^ResourceNotFound/, 404],
  [/^InvalidParameter|^MissingParameter|^UnknownParameter|^UnsupportedParameter|^OperationDenied/, 400],
];

/** The error in an object, whole or of a stream, in OpenAI's format. */
function failureOf(body: JsonObject): JsonObject | undefined {
  const error = objectOf(body.Error ?? body.ErrorMsg);
  const code = typeof error.Code === 'number' ? String(error.Code) : textOf(error.Code);
  const words = textOf(error.Message) || textOf(error.Msg);
  if (words === '' && (code === '' || code === '0')) return undefined;
  const status = statuses.find(([begin]) => begin.test(code))?.[1] ?? 502;
  const type = status === 402 ? 'insufficient_quota' : 'tencent_error';
  return { error: { message: words === '' ? code : words, type, code, status } };
}

const usageOf = ({ Usage: usage }: JsonObject): JsonObject | undefined => {
  const { PromptTokens: input, CompletionTokens: output } = objectOf(usage);
  return openaiUsage(counter(input), counter(output));
};

const headOf = (
  body: JsonObject,
  { model, startedSeconds }: Omit<StreamOrigin, 'requestId'>,
): AnswerHead => ({
  id: textOf(body.Id),
  created: counter(body.Created) || startedSeconds,
  model,
});

/** A message, or a piece of one, with lower-case names. */
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

/**
 * Reads the events of a chat, each with the usage so far. Repeated values (the role, and the name of a running call)
 * are reported once, because clients concatenate texts.
 */
export class HunyuanReader implements OwnReader {
  ended = false;
  private readonly asked: StreamOrigin;
  private hasBegun = false;
  /** Indexes of calls with a name already sent. */
  private readonly named = new Set<unknown>();

  constructor(asked: StreamOrigin) {
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
    const delta = this.newIn(wordsOf(objectOf(choice.Delta)));
    const reason = textOf(choice.FinishReason);
    if (reason === '') return [chunkOf(head, delta)];
    // More may follow an unknown word.
    this.ended = Object.hasOwn(reasons, reason);
    return [chunkOf(head, delta, entryOf(reasons, reason) ?? 'stop', usageOf(body))];
  }

  private newIn({ role, tool_calls: calls, ...words }: JsonObject): JsonObject {
    const isFirst = !this.hasBegun;
    this.hasBegun = true;
    return {
      ...(isFirst && role !== undefined && { role }),
      ...words,
      ...(calls !== undefined && { tool_calls: objectsIn(calls).map((call) => this.newInCall(call)) }),
    };
  }

  private newInCall(call: JsonObject): JsonObject {
    const { index = 0, function: called } = call;
    if (!this.named.has(index)) {
      this.named.add(index);
      return call;
    }
    return { index, function: { arguments: textOf(objectOf(called).arguments) } };
  }
}

/** A whole chat in OpenAI's format; other answers stay unchanged. */
export function rewriteHunyuan(body: JsonObject, request: JsonObject, startedSeconds: number): JsonObject {
  const response = objectOf(body.Response);
  const failure = failureOf(response);
  if (failure) return failure;
  const [choice] = objectsIn(response.Choices);
  if (!choice) return body;
  const head = headOf(response, { model: textOf(request.model), startedSeconds });
  const reason = entryOf(reasons, textOf(choice.FinishReason)) ?? 'stop';
  return answerOf(head, { content: null, ...wordsOf(objectOf(choice.Message)) }, reason, usageOf(response));
}
