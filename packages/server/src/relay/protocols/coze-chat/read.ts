import { counter, type Usage, usageOf } from '@tollgate/contract';
import type { SseEvent } from '../../../lib/sse/index.ts';
import { type ChatStreamReader, type Emit, type RelayError, refuse } from '../../types/index.ts';
import { type Json, type JsonObject, objectOf, textOf, parseObject } from '../../../lib/json.ts';
import { TextBlocks } from '../../conversation/index.ts';
import { readCozeFailure } from './errors.ts';

/** Messages that a bot sends beside its answer. */
const besideAnswer: ReadonlySet<Json | undefined> = new Set([
  'question',
  'function_call',
  'tool_output',
  'tool_response',
  'follow_up',
  'knowledge',
  'verbose',
]);

/** Reads the stream of a chat with a Coze bot into neutral events. Lenient: unknown events are skipped. */
export class CozeReader implements ChatStreamReader {
  ended = false;
  private failed = false;
  private finished = false;
  private started = false;
  private readonly texts = new TextBlocks();
  /** The message in progress; a bot may answer with several, one after the other. */
  private message: string | undefined;

  read(event: SseEvent, emit: Emit): void {
    if (this.failed || this.ended) return;
    if (event.name === 'done') {
      this.ended = this.finished;
      return;
    }
    const body = parseObject(event.data);
    if (!body) return this.fail(refuse('event_not_json'), emit);
    this.readEvent(event.name, body, emit);
  }

  private readEvent(name: string, body: JsonObject, emit: Emit): void {
    switch (name) {
      case 'conversation.chat.created':
        return this.start(textOf(body.id), body, emit);
      case 'conversation.message.delta':
        return this.readMessage(body, emit);
      case 'conversation.message.completed':
        // Repeats the whole message, unless the bot does not stream.
        if (this.message !== textOf(body.id)) this.readMessage(body, emit);
        return;
      case 'conversation.chat.completed':
        return this.finish(body, emit);
      case 'conversation.chat.failed':
        return this.fail(readCozeFailure(objectOf(body.last_error), 0), emit);
      case 'conversation.chat.requires_action':
        return this.fail(refuse('bot_waits_for_tool'), emit);
      case 'error':
        return this.fail(readCozeFailure(body, 0), emit);
      default:
    }
  }

  /** An answer in one JSON object is an error, never content. */
  readBody(body: JsonObject, emit: Emit): void {
    const failure = readCozeFailure(body, 0);
    if (failure) this.fail(failure, emit);
  }

  end(emit: Emit): void {
    this.texts.end(emit);
  }

  private start(id: string, body: JsonObject, emit: Emit): void {
    if (this.started) return;
    this.started = true;
    const created = body.created_at;
    emit({
      type: 'start',
      id,
      model: '',
      createdSeconds: typeof created === 'number' ? Math.floor(created) : 0,
    });
  }

  private readMessage(body: JsonObject, emit: Emit): void {
    if (besideAnswer.has(body.type) || this.finished) return;
    this.start(textOf(body.chat_id), body, emit);
    const id = textOf(body.id);
    if (this.message !== undefined && this.message !== id) {
      this.texts.end(emit);
      this.texts.write('text', '\n', emit);
    }
    this.message = id;
    this.texts.write('reasoning', textOf(body.reasoning_content), emit);
    this.texts.write('text', textOf(body.content), emit);
  }

  private finish(body: JsonObject, emit: Emit): void {
    if (this.finished) return;
    this.start(textOf(body.id), body, emit);
    this.texts.end(emit);
    this.finished = true;
    const usage = readCozeUsage(body.usage);
    if (usage) emit({ type: 'usage', usage });
    emit({ type: 'finish', choice: 0, reason: { unified: 'stop', raw: 'completed' } });
  }

  private fail(error: RelayError | undefined, emit: Emit): void {
    this.failed = true;
    this.texts.end(emit);
    emit({ type: 'error', error: error ?? refuse('upstream_failed') });
  }
}

/** Usage of a chat; undefined without tokens. */
function readCozeUsage(raw: Json | undefined): Usage | undefined {
  const { input_count: input, output_count: output, token_count: total } = objectOf(raw);
  const reported = usageOf({ input: counter(input), output: counter(output) });
  if (reported.input + reported.output > 0) return reported;
  return counter(total) > 0 ? usageOf({ input: counter(total) }) : undefined;
}
