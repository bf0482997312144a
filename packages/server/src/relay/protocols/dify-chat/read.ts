import type { SseEvent } from '../../../lib/sse/index.ts';
import {
  type ChatStreamReader,
  type Emit,
  type FinishReason,
  refuse,
  type RelayError,
} from '../../types/index.ts';
import {
  isObject,
  type Json,
  type JsonObject,
  objectOf,
  objectsIn,
  parseObject,
  textOf,
} from '../../../lib/json.ts';
import { TextBlocks } from '../../conversation/index.ts';
import { readDifyFailure } from './errors.ts';
import { counter, type Usage, usageOf } from '@tollgate/contract';

/**
 * A step of an application as a line; '' for steps that are not shown. Shown as reasoning if DIFY_DEBUG is on
 * (docs/protocols/applications.md).
 */
function describeStep(body: JsonObject): string {
  const data = objectOf(body.data);
  const status = textOf(data.status);
  switch (body.event) {
    case 'workflow_started':
      return 'Workflow: started';
    case 'workflow_finished':
      return `Workflow: ${status}`;
    case 'node_started':
      return `Node: ${nodeName(data)}`;
    case 'node_finished':
      return `Node: ${nodeName(data)} ${status}`;
    case 'agent_thought':
      // The reasoning is the answer itself; it is repeated with the tool's result.
      return textOf(body.tool) === '' || textOf(body.observation) !== '' ? '' : `Tool: ${textOf(body.tool)}`;
    default:
      return '';
  }
}

const nodeName = (data: JsonObject): string => textOf(data.title) || textOf(data.node_type);

/**
 * The usage in `metadata` of a message, for all models and steps of the application. undefined without tokens, as in
 * applications without a model.
 */
function readDifyUsage(metadata: Json | undefined): Usage | undefined {
  const { usage } = objectOf(metadata);
  const raw = objectOf(usage);
  const [input, output] = [counter(raw.prompt_tokens), counter(raw.completion_tokens)];
  if (input + output > 0) return usageOf({ input, output });
  const total = counter(raw.total_tokens);
  return total > 0 ? usageOf({ input: total }) : undefined;
}

/** The kind of an event. An unknown one is an answer if it has text, and the end if it has usage. */
function eventOf(body: JsonObject, isAgent: boolean): string {
  const event = textOf(body.event);
  if (known.has(event)) return event;
  if (textOf(body.answer) !== '') return isAgent ? 'agent_message' : 'message';
  return isObject(objectOf(body.metadata).usage) ? 'message_end' : event;
}
const known = new Set([
  'message',
  'agent_message',
  'message_replace',
  'message_file',
  'message_end',
  'error',
]);

const stopped: FinishReason = { unified: 'stop', raw: 'message_end' };
const filtered: FinishReason = { unified: 'content-filter', raw: 'message_replace' };

/**
 * Reads the stream of a Dify application, or its whole answer, into neutral events. Lenient: unknown events are
 * skipped.
 */
export class DifyReader implements ChatStreamReader {
  ended = false;
  private readonly showsSteps: boolean;
  private failed = false;
  private started = false;
  private readonly texts = new TextBlocks();
  /** An agent sends its answer in pieces and, in some versions, again as a whole. */
  private isAgent = false;
  private reason = stopped;
  /** The reason of the workflow's failure, until the error itself or the end of the stream arrives. */
  private failure: RelayError | undefined;

  constructor(showsSteps: boolean) {
    this.showsSteps = showsSteps;
  }

  read(event: SseEvent, emit: Emit): void {
    if (this.failed || this.ended || event.name === 'ping') return;
    const body = parseObject(event.data);
    if (!body) return this.fail(refuse('event_not_json'), emit);
    this.readEvent(body, emit);
  }

  private readEvent(body: JsonObject, emit: Emit): void {
    switch (eventOf(body, this.isAgent)) {
      case 'message':
        if (!this.isAgent) this.answer(body, emit);
        return;
      case 'agent_message':
        this.isAgent = true;
        return this.answer(body, emit);
      case 'message_replace':
        return this.replace(body, emit);
      case 'message_file':
        return this.readFile(body, emit);
      case 'message_end':
        return this.finish(body, emit);
      case 'error':
        return this.fail(readDifyFailure(body, 0) ?? refuse('upstream_failed'), emit);
      default:
        return this.readStep(body, emit);
    }
  }

  /** Reads a whole answer (`response_mode: blocking`). */
  readBody(body: JsonObject, emit: Emit): void {
    if (typeof body.answer !== 'string') {
      const failure = readDifyFailure(body, 0);
      if (failure) this.fail(failure, emit);
      return;
    }
    this.answer(body, emit);
    this.finish(body, emit);
  }

  end(emit: Emit): void {
    this.texts.end(emit);
    if (this.ended || this.failed || !this.failure) return;
    this.fail(this.failure, emit);
  }

  private start(body: JsonObject, emit: Emit): void {
    if (this.started) return;
    this.started = true;
    emit({
      type: 'start',
      id: textOf(body.message_id),
      model: '',
      createdSeconds: typeof body.created_at === 'number' ? Math.floor(body.created_at) : 0,
    });
  }

  private answer(body: JsonObject, emit: Emit): void {
    this.start(body, emit);
    this.texts.write('text', textOf(body.answer), emit);
  }

  /** A moderation of the application replaced the answer. Text that was already sent cannot be withdrawn. */
  private replace(body: JsonObject, emit: Emit): void {
    this.start(body, emit);
    this.texts.end(emit);
    this.texts.write('text', textOf(body.answer), emit);
    this.reason = filtered;
  }

  private readStep(body: JsonObject, emit: Emit): void {
    const data = objectOf(body.data);
    if (body.event === 'workflow_finished' && data.status === 'failed') {
      this.failure = refuse('workflow_failed', { detail: textOf(data.error).slice(0, 470) });
    }
    const words = this.showsSteps ? describeStep(body) : '';
    if (words === '') return;
    this.start(body, emit);
    this.texts.write('reasoning', `${words}\n`, emit, { isReport: true });
  }

  private readFile(body: JsonObject, emit: Emit): void {
    const url = textOf(body.url);
    // Installations without a public address give paths for files, which callers cannot use.
    if (body.belongs_to !== 'assistant' || body.type !== 'image' || !/^https?:/.test(url)) return;
    this.start(body, emit);
    this.texts.end(emit);
    emit({ type: 'file', choice: 0, source: { kind: 'url', url } });
  }

  private finish(body: JsonObject, emit: Emit): void {
    this.start(body, emit);
    for (const source of sourcesIn(body.metadata)) emit({ type: 'annotation', choice: 0, citation: source });
    this.texts.end(emit);
    const usage = readDifyUsage(body.metadata);
    if (usage) emit({ type: 'usage', usage });
    emit({ type: 'finish', choice: 0, reason: this.reason });
    this.ended = true;
  }

  private fail(error: RelayError, emit: Emit): void {
    this.failed = true;
    this.texts.end(emit);
    emit({ type: 'error', error });
  }
}

/** The documents of a knowledge base that an answer uses. */
const sourcesIn = (metadata: Json | undefined) =>
  objectsIn(objectOf(metadata).retriever_resources).map((source) => ({
    title: textOf(source.document_name),
    citedText: textOf(source.content),
  }));
