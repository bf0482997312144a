import { type JsonObject, parseObject } from '../../lib/json.ts';
import { EventCursor } from '../../lib/sse/index.ts';
import type { DeliveredMedia, DeliveredText } from '../types/index.ts';
import { EventShape, type Leaf } from './event-shape.ts';

/** The most comparisons of events in one stream: further ones would save no time. */
const maxComparisons = 32;
/** Longer events are always parsed, and not compared. */
const maxComparedChars = 4 * 1024;

/**
 * Parses the events of one stream. Most events differ from the previous one only in a few characters of text, and
 * parsing each of them would cost as much as all other work on an event.
 */
export class EventParser {
  /** The common shape of the last two parsed events, if they were alike. */
  shape: EventShape | undefined;
  private last: JsonObject | undefined;
  private comparisons = 0;

  /** The parsed data; undefined if it is not an object. Parts of it may be shared, and are frozen then. */
  parse(data: string): JsonObject | undefined {
    const leaves = this.shape?.read(data);
    return leaves ? this.shape?.eventOf(leaves) : this.parseAndCompare(data);
  }

  /** Parses an event that does not have the known shape, and compares it with the previous one. */
  parseAndCompare(data: string): JsonObject | undefined {
    const event = parseObject(data);
    if (!event || data.length > maxComparedChars || this.comparisons === maxComparisons) return event;
    if (this.last) {
      this.comparisons += 1;
      this.shape = EventShape.fromPair(data, event, this.last) ?? this.shape;
    }
    this.last = event;
    return event;
  }
}

/** Collects the text of an event or a whole answer. */
export interface TextSink {
  output(text: string): void;
  reasoning(text: string): void;
  /** A tool call starts; its name and arguments are `output`. */
  toolCall(): void;
  /** An image, or a piece of sound. */
  media(made: Partial<DeliveredMedia>): void;
  /** The answer reports that it is complete (a finish reason). */
  finish(): void;
  /** The raw usage object of the vendor; the last one counts. */
  usage(raw: JsonObject): void;
}

/** Reads the text from one event's data, or from a whole answer. */
export type TextReader = (data: JsonObject, sink: TextSink) => void;

/** Bytes of events that are collected before their text is read. Most short answers end before, and are not read. */
const maxRawBytes = 64 * 1024;
/** Characters kept between two calls of `take`; above it only their number is known. */
const maxTextLength = 1024 * 1024;
type TextKind = 'output' | 'reasoning';

/** The changing value of a shape's events that is their text; without a kind if more of the event must be read. */
interface Place {
  shape: EventShape;
  kind: TextKind | undefined;
  index: number;
}

/**
 * Collects the text that has passed, without reading every event immediately: events are collected as bytes, and read
 * when their text is needed, or when too many are collected.
 */
export class TextTap implements TextSink {
  /** A finish reason was in the events read so far. */
  finished = false;
  /** The last usage object in the events read so far. */
  rawUsage: JsonObject | undefined;
  private readonly readText: TextReader;
  private readonly cursor = new EventCursor();
  private readonly parser = new EventParser();
  private place: Place | undefined;
  private raw: Buffer[] = [];
  private rawBytes = 0;
  /** Until the first events are read: only the start of a stream may have a byte order mark. */
  private atStart = true;
  private text: DeliveredText = emptyText();

  constructor(readText: TextReader) {
    this.readText = readText;
  }

  /** Complete events were sent to the caller. */
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

  /** The text collected since the last call of `take`, without taking it. */
  delivered(): DeliveredText {
    this.readGathered();
    return { ...this.text };
  }

  /** Discards the text collected since `delivered`: it was not sent. */
  forgetBehind(delivered: DeliveredText): void {
    this.raw = [];
    this.rawBytes = 0;
    this.text = delivered;
  }

  /** Reads the text of the collected events, and discards the bytes. */
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
    const { cursor, atStart } = this;
    this.atStart = false;
    cursor.read(events, atStart);
    while (cursor.next()) {
      if (cursor.dataLines > 0) this.readEvent(cursor.text());
    }
  }

  private readEvent(data: string): void {
    const { shape } = this.parser;
    const leaves = shape?.read(data);
    if (shape && leaves) return this.readLeaves(shape, leaves);
    const event = this.parser.parseAndCompare(data);
    if (event) this.readText(event, this);
  }

  private readLeaves(shape: EventShape, leaves: readonly Leaf[]): void {
    if (this.place?.shape !== shape) this.place = placeIn(shape, this.readText);
    const { kind, index } = this.place;
    const text = leaves[index];
    if (kind && typeof text === 'string' && text !== '') addText(this.text, kind, text);
    else this.readText(shape.eventOf(leaves), this);
  }

  output(text: string): void {
    addText(this.text, 'output', text);
  }

  reasoning(text: string): void {
    addText(this.text, 'reasoning', text);
  }

  toolCall(): void {
    this.text.toolCalls += 1;
  }

  media(made: Partial<DeliveredMedia>): void {
    addMedia(this.text, made);
  }

  finish(): void {
    this.finished = true;
  }

  usage(raw: JsonObject): void {
    this.rawUsage = raw;
  }
}

/** Members that change from event to event without content: padding, a number, a time. */
const ignoredFields = new Set(['obfuscation', 'sequence_number', 'created']);

/** Finds the text in the events of a shape. */
function placeIn(shape: EventShape, readText: TextReader): Place {
  const found: { kind: TextKind; text: string }[] = [];
  let others = 0;
  const note = (kind: TextKind, text: string): void => {
    if (text !== '') found.push({ kind, text });
  };
  const other = (): void => {
    others += 1;
  };
  readText(shape.eventOf(shape.probes), {
    output: (text) => note('output', text),
    reasoning: (text) => note('reasoning', text),
    toolCall: other,
    media: other,
    finish: other,
    usage: other,
  });
  const [only] = found;
  const index = only && found.length === 1 && others === 0 ? shape.probes.indexOf(only.text) : -1;
  const isAlone = shape.keys.every((key, at) => at === index || ignoredFields.has(key));
  return { shape, kind: index >= 0 && isAlone ? only?.kind : undefined, index };
}

export const emptyText = (): DeliveredText => ({ output: '', reasoning: '', toolCalls: 0, omitted: 0 });

/** Adds to a collected text; above the limit only the length is kept. */
export function addText(gathered: DeliveredText, kind: TextKind, text: string): void {
  if (gathered.output.length + gathered.reasoning.length > maxTextLength) gathered.omitted += text.length;
  else gathered[kind] += text;
}

/** Adds images and sound to the collected ones. */
export function addMedia(gathered: DeliveredText, more: Partial<DeliveredMedia>): void {
  const { media } = gathered;
  gathered.media = {
    imageTokens: (media?.imageTokens ?? 0) + (more.imageTokens ?? 0),
    soundSeconds: (media?.soundSeconds ?? 0) + (more.soundSeconds ?? 0),
  };
}

/** Adds another collection. */
export function addAll(gathered: DeliveredText, more: DeliveredText): void {
  addText(gathered, 'output', more.output);
  addText(gathered, 'reasoning', more.reasoning);
  gathered.toolCalls += more.toolCalls;
  gathered.omitted += more.omitted;
  if (more.media) addMedia(gathered, more.media);
}
