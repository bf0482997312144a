import { parseObject, type JsonObject } from '../../lib/json.ts';
import { EventCursor } from '../../lib/sse/index.ts';
import type { DeliveredMedia, DeliveredText } from '../types/index.ts';

/** Where a protocol puts the text it finds in an event or a whole answer. */
export interface TextSink {
  output(text: string): void;
  reasoning(text: string): void;
  /** A tool call begins; its name and arguments are `output`. */
  toolCall(): void;
  /** An image, or a piece of sound. */
  media(made: Partial<DeliveredMedia>): void;
  /** The answer says by itself that it is complete (a finish reason). */
  finish(): void;
  /** The raw usage object of the vendor; the last one counts. */
  usage(raw: JsonObject): void;
}

/** Reads the text out of one event's data, or out of a whole answer. */
export type TextReader = (data: JsonObject, sink: TextSink) => void;

/** Raw events gathered before their text is taken out of them. */
const maxRawBytes = 16 * 1024;
/** Characters kept between two calls of `take`; beyond it only their number is known. */
const maxTextLength = 1024 * 1024;
/** Bytes before the text that must agree with the learned event, all of them where there are fewer; they hold the path to it. */
const contextBytes = 80;

/** The shape of a vendor's text events, learned from one of them: the text is all that changes. */
interface Shape {
  kind: 'output' | 'reasoning';
  /** Where the opening quote stands, counted from the start of the data. */
  at: number;
  context: Buffer;
  /** What follows the closing quote, up to the last list's end: beyond it stand only fields that say nothing of text. */
  after: Buffer;
}

/**
 * Knows what text has passed, without reading every event as it passes: events are gathered as bytes, and when their
 * text is wanted, or too many have gathered, it is taken out of them. Most events of a stream differ only in a few
 * letters, so the place of the text is learned from one event and checked, not searched, in the next.
 */
export class TextTap implements TextSink {
  /** A finish reason was seen in what was read so far. */
  finished = false;
  /** The last usage object seen in what was read so far. */
  rawUsage: JsonObject | undefined;
  private readonly readText: TextReader;
  private readonly cursor = new EventCursor();
  private raw: Buffer[] = [];
  private rawBytes = 0;
  private text: DeliveredText = emptyText();
  private shape: Shape | undefined;
  /** The only text of the event being read, and how many there were. */
  private found = { text: '', kind: 'output' as Shape['kind'], count: 0 };

  constructor(readText: TextReader) {
    this.readText = readText;
  }

  /** Whole events have gone to the caller. */
  gather(events: Buffer): void {
    this.raw.push(events);
    this.rawBytes += events.length;
    if (this.rawBytes > maxRawBytes) this.readGathered();
  }

  /** The text gathered since the last call. */
  take(): DeliveredText {
    this.readGathered();
    const { text } = this;
    this.text = emptyText();
    return text;
  }

  /** The text gathered since the last call of `take`, which is not taken by this. */
  delivered(): DeliveredText {
    this.readGathered();
    return { ...this.text };
  }

  /** Text is what it was when `delivered` answered this: what has gathered since then reaches nobody. */
  forgetBehind(delivered: DeliveredText): void {
    this.raw = [];
    this.rawBytes = 0;
    this.text = delivered;
  }

  /** Takes the text out of what has gathered, and forgets the bytes. */
  readGathered(): void {
    const { raw } = this;
    this.raw = [];
    this.rawBytes = 0;
    for (const events of raw) this.readEvents(events);
  }

  /** Reads a whole answer. */
  readAnswer(body: JsonObject): void {
    this.readText(body, this);
  }

  private readEvents(events: Buffer): void {
    const { cursor } = this;
    cursor.read(events, true);
    while (cursor.next()) {
      if (cursor.dataLines === 0) continue;
      if (cursor.dataLines === 1 && this.readLearned(events)) continue;
      const data = cursor.data();
      if (data) this.readEvent(data);
    }
  }

  private readEvent(data: Buffer): void {
    const json = parseObject(data);
    if (!json) return;
    this.found.count = 0;
    this.readText(json, this);
    if (this.found.count === 1) this.learn(data);
  }

  private learn(data: Buffer): void {
    const { text, kind } = this.found;
    // Short texts could be met elsewhere in the event; a text of letters that stands once, as a value, is the one.
    if (!/^ ?[A-Za-z]{3,}$/.test(text)) return;
    const quoted = Buffer.from(`"${text}"`);
    const at = data.indexOf(quoted);
    if (at < 1 || data[at - 1] !== 0x3a || data.lastIndexOf(quoted) !== at) return;
    const behind = at + quoted.length;
    const listEnd = data.lastIndexOf(0x5d);
    this.shape = {
      kind,
      at,
      context: Buffer.from(data.subarray(Math.max(0, at - contextBytes), at)),
      after: Buffer.from(data.subarray(behind, listEnd < behind ? data.length : listEnd + 1)),
    };
  }

  /** Takes the text from its learned place; false when this event looks different and must be read in full. */
  private readLearned(events: Buffer): boolean {
    const { shape } = this;
    if (!shape) return false;
    const end = this.cursor.dataEnd;
    const open = this.cursor.dataStart + shape.at;
    if (open + 2 + shape.after.length > end || events[open] !== 0x22) return false;
    if (shape.context.compare(events, open - shape.context.length, open) !== 0) return false;
    let close = open + 1;
    while (close < end && events[close] !== 0x22) close += events[close] === 0x5c ? 2 : 1;
    const afterEnd = close + 1 + shape.after.length;
    if (afterEnd > end || shape.after.compare(events, close + 1, afterEnd) !== 0) return false;
    const text = unquote(events, open, close);
    if (text === undefined) return false;
    this[shape.kind](text);
    return true;
  }

  output(text: string): void {
    this.note('output', text);
  }

  reasoning(text: string): void {
    this.note('reasoning', text);
  }

  toolCall(): void {
    this.text.toolCalls += 1;
    // Counts as a second finding, so that a tool call is never taken for a plain text event.
    this.found.count += 1;
  }

  media(made: Partial<DeliveredMedia>): void {
    addMedia(this.text, made);
    this.found.count += 1;
  }

  finish(): void {
    this.finished = true;
    this.found.count += 1;
  }

  usage(raw: JsonObject): void {
    this.rawUsage = raw;
    this.found.count += 1;
  }

  private note(kind: 'output' | 'reasoning', text: string): void {
    if (text === '') return;
    this.found.text = text;
    this.found.kind = kind;
    this.found.count += 1;
    addText(this.text, kind, text);
  }
}

export const emptyText = (): DeliveredText => ({ output: '', reasoning: '', toolCalls: 0, omitted: 0 });

/** Adds to a gathered text; beyond the bound only the length is kept. */
export function addText(gathered: DeliveredText, kind: 'output' | 'reasoning', text: string): void {
  if (gathered.output.length + gathered.reasoning.length > maxTextLength) gathered.omitted += text.length;
  else gathered[kind] += text;
}

/** Adds images and sound to what was gathered. */
export function addMedia(gathered: DeliveredText, more: Partial<DeliveredMedia>): void {
  const { media } = gathered;
  gathered.media = {
    imageTokens: (media?.imageTokens ?? 0) + (more.imageTokens ?? 0),
    toolImageTokens: (media?.toolImageTokens ?? 0) + (more.toolImageTokens ?? 0),
    soundSeconds: (media?.soundSeconds ?? 0) + (more.soundSeconds ?? 0),
  };
}

function unquote(bytes: Buffer, open: number, close: number): string | undefined {
  const text = bytes.toString('utf8', open + 1, close);
  if (!text.includes('\\')) return text;
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return undefined;
  }
}

/** Adds all that was gathered elsewhere. */
export function addAll(gathered: DeliveredText, more: DeliveredText): void {
  addText(gathered, 'output', more.output);
  addText(gathered, 'reasoning', more.reasoning);
  gathered.toolCalls += more.toolCalls;
  gathered.omitted += more.omitted;
  if (more.media) addMedia(gathered, more.media);
}
