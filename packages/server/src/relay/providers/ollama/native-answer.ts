import { counter } from '@tollgate/contract';
import { chunkOf, type OwnReader, openaiUsage } from '../../provider-kit/index.ts';
import { withExactNumbers } from '../../../lib/exact-numbers.ts';
import { type JsonObject, objectOf, objectsIn, parseObject, textOf } from '../../../lib/json.ts';
import type { SseEvent } from '../../../lib/sse/index.ts';
import type { StreamOrigin } from '../../types/index.ts';

const toolObjects = [['message', 'tool_calls', '*', 'function', 'arguments']] as const;

/** Reads the lines of a chat; the last one is `done` and has the usage. */
export class NativeReader implements OwnReader {
  ended = false;
  private readonly asked: StreamOrigin;
  private hasBegun = false;
  private calls = 0;

  constructor(asked: StreamOrigin) {
    this.asked = asked;
  }

  read({ data }: SseEvent): readonly JsonObject[] {
    const parsed = parseObject(data);
    if (!parsed) return [];
    const body = withExactNumbers(parsed, data, toolObjects);
    if (body.error !== undefined) return [{ error: { message: textOf(body.error), type: 'ollama_error' } }];
    const { model, requestId, startedSeconds } = this.asked;
    const head = { id: `chatcmpl-${requestId}`, created: startedSeconds, model };
    const delta = this.deltaOf(objectOf(body.message));
    this.ended = body.done === true;
    if (!this.ended) return [chunkOf(head, delta)];
    const reason = body.done_reason === 'length' ? 'length' : this.calls > 0 ? 'tool_calls' : 'stop';
    const usage = openaiUsage(counter(body.prompt_eval_count), counter(body.eval_count));
    return [chunkOf(head, delta, reason, usage)];
  }

  private deltaOf(message: JsonObject): JsonObject {
    const [text, thoughts] = [textOf(message.content), textOf(message.thinking)];
    const calls = objectsIn(message.tool_calls).map((call) => this.callOf(objectOf(call.function)));
    const delta = {
      ...(!this.hasBegun && { role: 'assistant' }),
      ...(thoughts !== '' && { reasoning_content: thoughts }),
      ...(text !== '' && { content: text }),
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    this.hasBegun = true;
    return delta;
  }

  /** Each call is complete, and has no id. */
  private callOf({ name, arguments: input }: JsonObject): JsonObject {
    const index = this.calls;
    this.calls += 1;
    const id = `call_${this.asked.requestId}_${index}`;
    return { index, id, type: 'function', function: { name, arguments: JSON.stringify(input ?? {}) } };
  }
}
