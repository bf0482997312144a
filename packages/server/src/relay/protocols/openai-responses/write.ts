import type { Usage } from '@tollgate/contract';
import type {
  ChatEvent,
  FinishReason,
  ChatStreamWriter,
  NamedText,
  WriterOptions,
} from '../../types/index.ts';
import { type JsonObject, objectsIn, textOf } from '../../../lib/json.ts';
import { BlockOrder, type ContentEvent } from '../../conversation/index.ts';
import { writeCitation } from './citation.ts';
import { answeredItem } from './hosted/write-call.ts';
import { finished, headOf, incompleteReason } from './write-head.ts';
import { ItemWriter, openingOf } from './write-items.ts';

/**
 * Writes neutral events as the events of a response: each item added, filled and done, numbered in one sequence, with
 * the whole response repeated at the end, as OpenAI's own clients expect. A response is one answer: choices after the
 * first, which its callers cannot request, are omitted.
 */
export class ResponsesWriter implements ChatStreamWriter {
  private readonly options: WriterOptions;
  private readonly items: ItemWriter;
  private head: JsonObject;
  private sequence = 0;
  private started = false;
  private readonly order = new BlockOrder((event) => {
    this.written += this.writePiece(event);
  });
  /** The text of an event's pieces. */
  private written = '';
  private finish: FinishReason | undefined;
  private usage: Usage | undefined;

  constructor(options: WriterOptions) {
    this.options = options;
    this.head = headOf(undefined, options);
    this.items = new ItemWriter(
      options,
      (type, fields) => this.say(type, fields),
      (event) => this.sayNumber(event),
    );
  }

  write(event: ChatEvent): string {
    if (event.type === 'start') this.head = headOf(event, this.options);
    else if (event.type === 'usage') this.usage = event.isPartial ? this.usage : event.usage;
    else if (event.type === 'error' || event.choice !== 0) return '';
    else if (event.type === 'finish') this.finish = event.reason;
    else {
      this.written = this.begin();
      this.order.put(event);
      return this.written;
    }
    return this.begin();
  }

  end(): string {
    this.written = this.begin();
    this.order.end(() => {
      this.written += this.items.close();
    });
    return this.written + this.say(this.endType(), { response: this.response() });
  }

  /** The response as written so far. */
  response(): JsonObject {
    return finished(this.head, this.items.output(), this.finish, this.usage);
  }

  texts(): NamedText[] {
    return textsIn({ output: this.items.output() });
  }

  private endType(): string {
    return incompleteReason(this.finish) === undefined ? 'response.completed' : 'response.incomplete';
  }

  private begin(): string {
    if (this.started) return '';
    this.started = true;
    const response = this.head;
    return this.say('response.created', { response }) + this.say('response.in_progress', { response });
  }

  private say(type: string, fields: JsonObject): string {
    return this.sayNumber(openingOf(type) + JSON.stringify(fields).slice(1, -1));
  }

  private sayNumber(event: string): string {
    return `${event},"sequence_number":${this.sequence++}}\n\n`;
  }

  private writePiece(event: ContentEvent): string {
    const { items } = this;
    switch (event.type) {
      case 'text-start':
        return items.startPart('output_text');
      case 'refusal-start':
        return items.startPart('refusal');
      case 'text-delta':
      case 'refusal-delta':
        return items.addText(event.text, event.logprobs);
      case 'text-end':
      case 'refusal-end':
        return items.endPart();
      case 'reasoning-delta':
        return items.addThought(event.text);
      case 'reasoning-end':
        return items.endThoughts(event);
      case 'tool-input-start':
        return items.startCall(event.id, event.name);
      case 'tool-input-delta':
        return items.addInput(event.text);
      case 'tool-input-end':
        return items.endCall();
      case 'annotation':
        return items.annotate(writeCitation(event));
      case 'file':
        return items.addFile(event.source);
      case 'other':
        if (event.extra.protocol === 'openai-responses') return items.addWhole(event.extra.fields);
        return event.call ? items.addCall(answeredItem(event.call, this.options.request)) : '';
      default:
        return '';
    }
  }
}

/** The messages of an answer that also calls a tool: the AI SDK refers to them when it sends the result. */
export function textsIn({ output }: JsonObject): NamedText[] {
  const items = objectsIn(output);
  if (!items.some(({ type }) => type === 'function_call' || type === 'custom_tool_call')) return [];
  return items
    .filter(({ type }) => type === 'message')
    .map(({ id, content }) => ({
      id: textOf(id),
      text: objectsIn(content)
        .map(({ text }) => textOf(text))
        .join(''),
    }));
}

/** Writes the events of one answer as a response object. */
export function writeResponsesAnswer(events: readonly ChatEvent[], options: WriterOptions): JsonObject {
  const writer = new ResponsesWriter(options);
  for (const event of events) writer.write(event);
  writer.end();
  return writer.response();
}
