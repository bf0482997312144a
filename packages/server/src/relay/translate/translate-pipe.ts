import type { Usage } from '@tollgate/contract';
import { EventTooLong, SseScanner } from '../../lib/sse/index.ts';
import {
  type AnswerEnd,
  type AnswerPipe,
  type BodyKind,
  type ChatCodec,
  type ChatEvent,
  type ChatStreamReader,
  type ChatStreamWriter,
  type DeliveredText,
  type Emit,
  refuse,
  type RelayError,
  type UpstreamCodec,
  type VendorMade,
  type WriterOptions,
} from '../types/index.ts';
import { withExactNumbers } from '../../lib/exact-numbers.ts';
import { type JsonObject, parseObject } from '../../lib/json.ts';
import { addAll, addMedia, addText, emptyText } from '../streams/index.ts';
import { foreignError, ownError } from './foreign-error.ts';
import type { FunctionNames } from './function-names.ts';

/**
 * Turns reasoning into text: `<think>\n…\n</think>\n` before the answer (docs/compatibility.md#steps-of-a-chat-call,
 * thinking_to_content), for clients that show only text. Redacted reasoning is omitted.
 */
function thinkingToContent(emit: Emit): Emit {
  /** Reasoning blocks with a written opening tag. */
  const opened = new Set<number>();
  return (event: ChatEvent) => {
    if (event.type === 'reasoning-start') return;
    if (event.type === 'reasoning-delta') {
      const { choice, block } = event;
      if (!opened.has(block)) {
        opened.add(block);
        emit({ type: 'text-start', choice, block });
        emit({ type: 'text-delta', choice, block, text: '<think>\n' });
      }
      return emit({ type: 'text-delta', choice, block, text: event.text });
    }
    if (event.type !== 'reasoning-end') return emit(event);
    if (!opened.delete(event.block)) return;
    const { choice, block } = event;
    emit({ type: 'text-delta', choice, block, text: '\n</think>\n' });
    emit({ type: 'text-end', choice, block });
  };
}

const callersName = (
  call: Extract<ChatEvent, { type: 'tool-input-start' }>,
  names: FunctionNames,
): ChatEvent => ({ ...call, name: names.get(call.name) ?? call.name });

/** Limit of a whole answer, which is collected before it is written. */
const maxAnswerBytes = 64 * 1024 * 1024;

/** The parts that the translation of an answer needs. */
export interface Translation {
  /** The format of the upstream's answer. */
  from: { codec: UpstreamCodec; kind: BodyKind };
  /** The format that the caller requested. */
  to: { codec: ChatCodec; kind: BodyKind };
  /** Options of the site for reading an answer. */
  settings?: Readonly<Record<string, unknown>>;
  writer: WriterOptions;
  /** Functions with different names for the vendor and the caller. */
  names?: FunctionNames | undefined;
  thinkingToContent: boolean;
  /** Secrets that must never reach a caller if the upstream repeats them. */
  secrets: readonly string[];
  /** Converts this provider's own answer object to the protocol's; whole answers only. */
  rewrite: ((body: JsonObject) => JsonObject) | undefined;
}

/** Events around an answer, which an empty answer also has. */
const frame = new Set<ChatEvent['type']>(['start', 'usage', 'made', 'error']);

const noBytes = Buffer.alloc(0);

const usesTool = (usage: Usage | undefined): boolean =>
  usage !== undefined && usage.webSearchCalls + usage.fileSearchCalls > 0;

/** True for content of the upstream. A finish reason without the vendor's own value is from its reader. */
function isContent(event: ChatEvent): boolean {
  if (event.type === 'finish') return event.reason.raw !== '';
  if (event.type === 'tool-input-start' || event.type === 'reasoning-end') return true;
  if (frame.has(event.type) || event.type.endsWith('-start') || event.type.endsWith('-end')) return false;
  return !('text' in event) || event.text !== '';
}

/** Translates an answer: upstream bytes → neutral events → bytes for the caller. */
export class TranslatePipe implements AnswerPipe {
  private readonly translation: Translation;
  private readonly scanner = new SseScanner();
  private readonly reader: ChatStreamReader;
  private readonly writer: ChatStreamWriter;
  private readonly emit: Emit;
  private chunks: Buffer[] = [];
  private bytes = 0;
  private events: ChatEvent[] = [];
  private written = '';
  isEmpty = true;
  /** The upstream's name of the model. */
  private model = '';
  private finished = false;
  private usage: Usage | undefined;
  private inputUsage: Usage | undefined;
  /** Usage that was reported and `takeReport` has not returned yet. */
  private report: Usage | undefined;
  private error: RelayError | undefined;
  private readonly made = new Map<string, VendorMade>();
  /** Text of the output. */
  private text = emptyText();
  /** Text that was read and not written yet, such as a tool call that the protocol needs in one piece. */
  private waiting: DeliveredText | undefined;

  constructor(translation: Translation) {
    this.translation = translation;
    this.reader = translation.from.codec.openReader(translation.settings);
    this.writer = translation.to.codec.openWriter(translation.writer);
    const out: Emit = (event) => this.put(event);
    const shown = translation.thinkingToContent ? thinkingToContent(out) : out;
    const { names } = translation;
    this.emit = (event) => {
      this.note(event);
      if (event.type === 'made') return;
      shown(names && event.type === 'tool-input-start' ? callersName(event, names) : event);
    };
  }

  get contentType(): string {
    return this.translation.to.kind === 'stream' ? 'text/event-stream' : 'application/json';
  }

  get failed(): boolean {
    return this.error !== undefined;
  }

  get mediaMarks(): readonly Buffer[] | undefined {
    return this.translation.from.codec.media?.marks;
  }

  push(chunk: Buffer): Buffer | undefined {
    if (this.failed) return undefined;
    this.bytes += chunk.length;
    if (this.translation.from.kind === 'json' || this.translation.to.kind === 'json') {
      if (this.bytes > maxAnswerBytes) this.error = refuse('answer_too_long');
    }
    if (this.translation.from.kind === 'json') this.chunks.push(chunk);
    else this.readEvents(() => this.scanner.push(chunk));
    return this.takeWritten();
  }

  private readEvents(scan: () => ReturnType<SseScanner['push']>): void {
    try {
      for (const event of scan()) this.reader.read(event, this.emit);
    } catch (cause) {
      const what = cause instanceof EventTooLong ? 'event_too_long' : 'answer_unreadable';
      this.error ??= refuse(what, {}, { cause });
    }
  }

  /** The answer's usage, end and text for counting, for every kind of end. */
  private note(event: ChatEvent): void {
    if (this.isEmpty) this.isEmpty = !isContent(event);
    // Most events of a stream are pieces of text.
    if (event.type === 'text-delta') {
      if (!event.isAdded) addText(this.text, 'output', event.text);
    } else if (event.type === 'usage') {
      this.report = event.usage;
      if (event.isPartial && usesTool(event.usage)) this.isEmpty = false;
      if (event.isPartial) this.inputUsage = event.usage;
      else this.usage = event.usage;
    } else if (event.type === 'file') this.noteFile(event);
    else if (event.type === 'made') this.made.set(event.made.id, event.made);
    else if (event.type === 'start') this.model = event.model;
    else if (event.type === 'finish') this.finished = true;
    else if (event.type === 'error') this.error ??= event.error;
    else if (event.type === 'reasoning-delta') {
      if (!event.isReport) addText(this.unwritten(), 'reasoning', event.text);
    } else if (event.type === 'tool-input-start') {
      this.unwritten().toolCalls += 1;
      addText(this.unwritten(), 'output', event.name);
    } else if ('text' in event) addText(this.unwritten(), 'output', event.text);
  }

  private noteFile(file: Extract<ChatEvent, { type: 'file' }>): void {
    const { from, writer } = this.translation;
    const made = from.codec.media?.measure(file, { model: this.model, asked: writer.request });
    if (made) addMedia(this.unwritten(), made);
    if (file.transcript !== undefined) addText(this.unwritten(), 'output', file.transcript);
  }

  private unwritten(): DeliveredText {
    return (this.waiting ??= emptyText());
  }

  private put(event: ChatEvent): void {
    if (event.type === 'error') return;
    if (this.translation.to.kind === 'json') this.events.push(event);
    else {
      const written = this.writer.write(event);
      if (written === '') return;
      this.written += written;
      this.passOn();
    }
  }

  /** An empty piece if the use of a tool was announced that the caller's protocol may not express: it is held for. */
  private takeWritten(): Buffer | undefined {
    if (this.written === '')
      return this.translation.to.kind === 'stream' && usesTool(this.report) ? noBytes : undefined;
    const bytes = Buffer.from(this.written);
    this.written = '';
    return bytes;
  }

  /** Everything that was read has now been written. */
  private passOn(): void {
    if (!this.waiting) return;
    addAll(this.text, this.waiting);
    this.waiting = undefined;
  }

  end(broken: boolean): AnswerEnd {
    const delivered = { ...this.text };
    const complete = this.translation.from.kind === 'json' ? this.endJson(broken) : this.endStream(broken);
    // Nothing more of an incomplete answer is sent or charged.
    if (!complete || this.error) {
      this.text = delivered;
      this.waiting = undefined;
    }
    const { usage } = this;
    const reported = { usage, inputUsage: usage ? undefined : this.inputUsage };
    if (this.error) {
      const { from, to, secrets } = this.translation;
      const error =
        from.codec === to.codec ? ownError(this.error, secrets) : foreignError(this.error, secrets);
      return { outcome: 'error', tail: undefined, ...reported, error };
    }
    const made = this.made.size > 0 && { made: [...this.made.values()] };
    if (!complete) return { outcome: 'truncated', tail: undefined, ...reported, ...made, error: undefined };
    return { outcome: 'complete', ...this.writeEnd(), ...reported, ...made, error: undefined };
  }

  private endStream(broken: boolean): boolean {
    if (!broken) this.readEvents(() => this.scanner.end());
    this.reader.end(this.emit);
    return this.reader.ended || (this.finished && !broken);
  }

  private endJson(broken: boolean): boolean {
    if (broken || this.error) return false;
    const bytes = Buffer.concat(this.chunks);
    this.chunks = [];
    const parsed = parseObject(bytes);
    if (!parsed) this.error = refuse('answer_not_json');
    else this.readWhole(parsed, bytes);
    if (!this.finished) this.error ??= refuse('answer_unknown_object');
    return true;
  }

  private readWhole(parsed: JsonObject, bytes: Buffer): void {
    const { from, rewrite } = this.translation;
    const body = from.codec.toolObjects ? withExactNumbers(parsed, bytes, from.codec.toolObjects) : parsed;
    from.codec.readAnswer(rewrite?.(body) ?? body, this.emit);
  }

  private writeEnd(): Pick<AnswerEnd, 'tail' | 'texts' | 'answer'> {
    const { to, writer } = this.translation;
    if (to.kind === 'stream') {
      const tail = Buffer.from(this.written + this.writer.end());
      return { tail, texts: this.writer.texts?.(), answer: this.writer.response?.() };
    }
    const answer = to.codec.writeAnswer(this.events, writer);
    return { tail: Buffer.from(JSON.stringify(answer)), texts: to.codec.textsIn?.(answer), answer };
  }

  takeText(): DeliveredText {
    this.passOn();
    const { text } = this;
    this.text = emptyText();
    return text;
  }

  takeReport(): Usage | undefined {
    const { report } = this;
    this.report = undefined;
    return report;
  }
}
