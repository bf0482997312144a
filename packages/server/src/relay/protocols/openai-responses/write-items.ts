import type { Part, Source, WriterOptions } from '../../types/index.ts';
import { isObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { toolInput } from '../../conversation/index.ts';
import { unwrapInput } from './custom-tools.ts';
import { progressOf } from './hosted/write-call.ts';
import { type OfferedTool, specialTools } from './namespaces.ts';
import { encryptedContent } from './signature.ts';

/** Writes one event of the stream. */
export type WriteEvent = (type: string, fields: JsonObject) => string;

/** Ends an event that is complete except for its last member, the number. */
export type NumberEvent = (event: string) => string;

/** The start of an event; its members follow. */
export const openingOf = (type: string): string => `event: ${type}\ndata: {"type":"${type}",`;

/** An item in progress, and its index in the output. */
interface OpenItem {
  index: number;
  id: string;
  item: JsonObject;
}

interface OpenPart extends OpenItem {
  partIndex: number;
  /**
   * An event with a piece of its text, up to that piece: most of a stream is such events, so they are assembled as
   * text.
   */
  opening: string;
  part: { type: 'output_text' | 'refusal'; text: string; annotations: JsonObject[]; logprobs: Json[] };
  /** Sources of the whole text, written when its length is known. */
  waiting: JsonObject[];
}

/** Writes the output items of a response from the pieces of an answer, and remembers them for its end. */
export class ItemWriter {
  private readonly name: string;
  private readonly say: WriteEvent;
  private readonly sayNumber: NumberEvent;
  private readonly items: JsonObject[] = [];
  private message: (OpenItem & { parts: JsonObject[] }) | undefined;
  private part: OpenPart | undefined;
  private lastText: Pick<OpenPart['part'], 'text' | 'annotations'> | undefined;
  private thoughts: (OpenItem & { text: string }) | undefined;
  private call: (OpenItem & { input: string; kind: OfferedTool['kind'] }) | undefined;
  /** Tools that the caller offered as custom tools or in a namespace: their calls are written in that form. */
  private readonly special: ReadonlyMap<string, OfferedTool>;

  constructor({ fallback, request }: WriterOptions, say: WriteEvent, sayNumber: NumberEvent) {
    this.name = fallback.requestId;
    this.special = specialTools(request);
    this.say = say;
    this.sayNumber = sayNumber;
  }

  output(): JsonObject[] {
    return this.items;
  }

  /** Ends all open items. */
  close(): string {
    return this.closeMessage() + this.endThoughts({}) + this.endCall();
  }

  startPart(type: 'output_text' | 'refusal'): string {
    let written = this.endPart();
    if (!this.message) {
      const open = this.add('msg', { type: 'message', role: 'assistant', content: [] });
      this.message = { ...open, parts: [] };
      written += this.added(open);
    }
    const { message } = this;
    const part = { type, text: '', annotations: [], logprobs: [] };
    this.part = { ...message, partIndex: message.parts.length, opening: '', part, waiting: [] };
    const pieces = openingOf(type === 'refusal' ? 'response.refusal.delta' : 'response.output_text.delta');
    // Joined into one flat text, because each piece of the answer is appended to it.
    this.part.opening = [pieces, JSON.stringify(this.place()).slice(1, -1), ',"delta":'].join('');
    return written + this.say('response.content_part.added', { ...this.place(), part: writePart(this.part) });
  }

  addText(text: string, logprobs: Json | undefined): string {
    const { part: open } = this;
    if (!open) return '';
    open.part.text += text;
    const piece = open.opening + JSON.stringify(text);
    if (open.part.type === 'refusal') return this.sayNumber(piece);
    if (logprobs === undefined) return this.sayNumber(`${piece},"logprobs":[]`);
    const list = isObject(logprobs) && Array.isArray(logprobs.content) ? logprobs.content : [];
    open.part.logprobs.push(...list);
    return this.sayNumber(`${piece},"logprobs":${JSON.stringify(list)}`);
  }

  annotate(annotation: JsonObject): string {
    const { part: open } = this;
    // A source after its text is still in the whole response.
    if (!open || open.part.type === 'refusal') {
      const { lastText } = this;
      lastText?.annotations.push({ ...placeIn(lastText.text), ...annotation });
      return '';
    }
    if (annotation.type === 'url_citation' && annotation.end_index === undefined) {
      open.waiting.push(annotation);
      return '';
    }
    const index = open.part.annotations.push(annotation) - 1;
    const fields = { ...this.place(), annotation_index: index, annotation };
    return this.say('response.output_text.annotation.added', fields);
  }

  endPart(): string {
    const { part: open, message } = this;
    if (!open || !message) return '';
    const place = this.place();
    const { type, text, logprobs } = open.part;
    const sources = open.waiting.map((each) => this.annotate({ ...placeIn(text), ...each })).join('');
    this.part = undefined;
    const part = writePart(open);
    message.parts.push(part);
    if (type === 'output_text') this.lastText = open.part;
    const done =
      type === 'refusal'
        ? this.say('response.refusal.done', { ...place, refusal: text })
        : this.say('response.output_text.done', { ...place, text, logprobs });
    return sources + done + this.say('response.content_part.done', { ...place, part });
  }

  addThought(text: string): string {
    const begun = this.startThoughts();
    const open = this.thoughts!;
    const place = { item_id: open.id, output_index: open.index, summary_index: 0 };
    const part =
      open.text === ''
        ? this.say('response.reasoning_summary_part.added', {
            ...place,
            part: { type: 'summary_text', text: '' },
          })
        : '';
    open.text += text;
    return begun + part + this.say('response.reasoning_summary_text.delta', { ...place, delta: text });
  }

  endThoughts(
    signed: Pick<Extract<Part, { type: 'reasoning' }>, 'signature' | 'redacted' | 'signer'>,
  ): string {
    const encrypted = encryptedContent(signed);
    // Reasoning without text and signature is omitted.
    if (!this.thoughts && encrypted === undefined) return '';
    const begun = this.startThoughts();
    const open = this.thoughts!;
    this.thoughts = undefined;
    const { text } = open;
    const part = { type: 'summary_text', text };
    const place = { item_id: open.id, output_index: open.index, summary_index: 0 };
    const summary =
      text === ''
        ? ''
        : this.say('response.reasoning_summary_text.done', { ...place, text }) +
          this.say('response.reasoning_summary_part.done', { ...place, part });
    const fields = {
      summary: text === '' ? [] : [part],
      ...(encrypted !== undefined && { encrypted_content: encrypted }),
    };
    return begun + summary + this.done(open, fields);
  }

  startCall(id: string, name: string): string {
    const closed = this.closeMessage();
    const tool = this.special.get(name);
    const kind = tool?.kind ?? 'function';
    const called = {
      call_id: id,
      name: tool?.name ?? name,
      ...(tool && tool.namespace !== '' && { namespace: tool.namespace }),
    };
    const open =
      kind === 'search'
        ? this.add('tsc', { type: 'tool_search_call', call_id: id, execution: 'client', arguments: {} })
        : kind === 'custom'
          ? this.add('ctc', { type: 'custom_tool_call', ...called, input: '' })
          : this.add('fc', { type: 'function_call', ...called, arguments: '' });
    this.call = { ...open, input: '', kind };
    return closed + this.added(open);
  }

  addInput(text: string): string {
    const open = this.call;
    if (!open) return '';
    open.input += text;
    // The free text of a custom tool, and the object of a search, are known when the arguments are complete.
    if (open.kind !== 'function') return '';
    const place = { item_id: open.id, output_index: open.index };
    return this.say('response.function_call_arguments.delta', { ...place, delta: text });
  }

  endCall(): string {
    const open = this.call;
    if (!open) return '';
    this.call = undefined;
    const place = { item_id: open.id, output_index: open.index };
    if (open.kind === 'search') return this.done(open, { arguments: toolInput(open.input) });
    if (open.kind === 'custom') {
      const input = unwrapInput(open.input);
      return (
        this.say('response.custom_tool_call_input.delta', { ...place, delta: input }) +
        this.say('response.custom_tool_call_input.done', { ...place, input }) +
        this.done(open, { input })
      );
    }
    // A call without arguments gets an empty object: clients parse arguments as JSON.
    const input = open.input === '' ? '{}' : open.input;
    const done = this.say('response.function_call_arguments.done', { ...place, arguments: input });
    return done + this.done(open, { arguments: input });
  }

  /** A picture, in the form of the image tool's answer; sounds and addresses have no place in this protocol. */
  addFile(source: Source): string {
    const picture = source.kind === 'url' ? dataOf(source.url) : source;
    if (picture?.kind !== 'data' || !picture.mediaType.startsWith('image/')) return '';
    return this.addWhole({
      type: 'image_generation_call',
      id: `ig_${this.name}_${this.items.length}`,
      status: 'completed',
      output_format: picture.mediaType.slice('image/'.length),
      result: picture.base64,
    });
  }

  /** An item that is complete at once. */
  addWhole(item: JsonObject): string {
    const closed = this.closeMessage() + this.endThoughts({});
    const index = this.items.push(item) - 1;
    const place = { output_index: index, item };
    return (
      closed + this.say('response.output_item.added', place) + this.say('response.output_item.done', place)
    );
  }

  /** Events of a hosted tool's run: started, running, done. */
  addCall(item: JsonObject & { id: string }): string {
    const closed = this.closeMessage() + this.endThoughts({});
    const index = this.items.push(item) - 1;
    const { begun, progress } = progressOf(item, index);
    return (
      closed +
      this.say('response.output_item.added', { output_index: index, item: begun }) +
      progress.map(([type, fields]) => this.say(type, fields)).join('') +
      this.say('response.output_item.done', { output_index: index, item })
    );
  }

  private startThoughts(): string {
    if (this.thoughts) return '';
    const closed = this.closeMessage();
    const open = this.add('rs', { type: 'reasoning', summary: [] });
    this.thoughts = { ...open, text: '' };
    return closed + this.added(open);
  }

  private closeMessage(): string {
    const ended = this.endPart();
    const { message } = this;
    this.message = undefined;
    return message ? ended + this.done(message, { content: message.parts }) : ended;
  }

  private add(prefix: string, fields: JsonObject): OpenItem {
    const index = this.items.length;
    const id = `${prefix}_${this.name}_${index}`;
    const item = { id, status: 'in_progress', ...fields };
    this.items.push(item);
    return { index, id, item };
  }

  private added({ index, item }: OpenItem): string {
    return this.say('response.output_item.added', { output_index: index, item });
  }

  private done({ index, item }: OpenItem, fields: JsonObject): string {
    const whole = { ...item, status: 'completed', ...fields };
    this.items[index] = whole;
    return this.say('response.output_item.done', { output_index: index, item: whole });
  }

  private place(): JsonObject {
    const { part: open } = this;
    return open ? { item_id: open.id, output_index: open.index, content_index: open.partIndex } : {};
  }
}

/** The range of a source of the whole text. */
const placeIn = ({ length }: string): JsonObject => ({ start_index: 0, end_index: length });

function writePart({ part: { type, text, annotations, logprobs } }: OpenPart): JsonObject {
  if (type === 'refusal') return { type, refusal: text };
  return { type, text, annotations, logprobs };
}

function dataOf(url: string): Extract<Source, { kind: 'data' }> | undefined {
  const [, mediaType, base64] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  return mediaType === undefined || base64 === undefined ? undefined : { kind: 'data', mediaType, base64 };
}
