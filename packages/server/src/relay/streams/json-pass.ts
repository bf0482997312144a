import type { Usage } from '@tollgate/contract';
import { type JsonObject, parseObject, valueEnd } from '../../lib/json.ts';
import {
  type AnswerEnd,
  type AnswerPipe,
  type BodyKind,
  type DeliveredText,
  refuse,
  type RelayError,
} from '../types/index.ts';
import { emptyText, TextTap } from './text-tap.ts';
import type { AnswerWire } from './wire.ts';

/** Answers up to this size are buffered completely, checked, and sent after the settlement. */
const maxWholeBytes = 1024 * 1024;
/** Limit of an answer that must be rewritten, or that its hold may not cover, and so cannot be sent in parts. */
const maxHeldBytes = 64 * 1024 * 1024;
/**
 * The last bytes of a larger answer that wait for the settlement; a client cannot use a JSON object without its end.
 */
const tailBytes = 64 * 1024;

/** Readers of a whole answer. */
interface JsonPassOptions {
  wire: AnswerWire;
  readUsage(raw: JsonObject): Usage | undefined;
  /** As in `StreamPassOptions`. */
  readInput?(raw: JsonObject): Usage | undefined;
  rewrite: ((body: JsonObject) => JsonObject) | undefined;
}

/** Passes a whole JSON answer to a caller of the same protocol, bytes unchanged. */
export class JsonPass implements AnswerPipe {
  readonly contentType: string;
  failed = false;
  isEmpty = true;
  private isTooLong = false;
  private readonly options: JsonPassOptions;
  private readonly tap: TextTap;
  private chunks: Buffer[] = [];
  private bytes = 0;
  /** Bytes already sent: the answer is too large to be buffered. */
  private sentBytes = 0;
  private usageFound: JsonObject | undefined;

  constructor(contentType: string, options: JsonPassOptions) {
    this.contentType = contentType === '' ? 'application/json' : contentType;
    this.options = options;
    this.tap = new TextTap(options.wire.readText);
  }

  /** Only created for large answers: most are read whole. */
  private get usageKey(): Buffer {
    return Buffer.from(`"${this.options.wire.usageKey ?? 'usage'}"`);
  }

  push(chunk: Buffer): Buffer | undefined {
    if (this.failed) return undefined;
    this.chunks.push(chunk);
    this.bytes += chunk.length;
    if (this.options.rewrite || this.options.wire.hasText) {
      this.isTooLong = this.bytes > maxHeldBytes;
      if (this.isTooLong) this.giveUp();
      return undefined;
    }
    return this.bytes > (this.sentBytes === 0 ? maxWholeBytes : tailBytes * 2) ? this.spill() : undefined;
  }

  private giveUp(): void {
    this.failed = true;
    this.chunks = [];
  }

  /** Sends all but the last bytes of a large answer. */
  private spill(): Buffer | undefined {
    const all = Buffer.concat(this.chunks, this.bytes);
    if (this.sentBytes === 0 && firstByte(all) !== 0x7b) {
      this.giveUp();
      return undefined;
    }
    this.usageFound = findUsage(all, this.usageKey) ?? this.usageFound;
    const cut = all.length - tailBytes;
    this.chunks = [all.subarray(cut)];
    this.bytes = tailBytes;
    this.sentBytes += cut;
    // An empty answer is never this large.
    this.isEmpty = false;
    return all.subarray(0, cut);
  }

  end(broken: boolean): AnswerEnd {
    const rest = this.chunks.length === 1 ? this.chunks[0]! : Buffer.concat(this.chunks);
    this.chunks = [];
    if (this.failed) return failure(refuse(this.isTooLong ? 'answer_too_long' : 'answer_other_kind'));
    if (broken) return { outcome: 'truncated', tail: undefined, usage: undefined, error: undefined };
    return this.sentBytes > 0 ? this.endLarge(rest) : this.endWhole(rest);
  }

  private endLarge(rest: Buffer): AnswerEnd {
    const raw = findUsage(rest, this.usageKey) ?? this.usageFound;
    const usage = raw && this.options.readUsage(raw);
    // The transfer ended properly; the vendor itself cut an incomplete object.
    if (rest.toString('latin1').trimEnd().at(-1) === '}') {
      return { outcome: 'complete', tail: rest, usage, error: undefined };
    }
    return { outcome: 'truncated', tail: undefined, usage, error: undefined };
  }

  private endWhole(rest: Buffer): AnswerEnd {
    const parsed = parseObject(rest);
    if (!parsed) return failure(describe(rest, this.contentType));
    const { wire, rewrite } = this.options;
    const failed = wire.readFailure(parsed);
    if (failed) return failure(failed);
    const body = rewrite ? rewrite(parsed) : parsed;
    // A vendor may report an error in its own answer format; the conversion to the protocol recognises it.
    const refused = rewrite && wire.readFailure(body);
    if (refused) return failure(refused);
    if (!wire.isAnswer(body)) return failure(refuse('answer_unknown_object'));
    this.isEmpty = !wire.hasContent(body);
    this.tap.readAnswer(body);
    const raw = this.tap.rawUsage;
    const usage = raw && this.options.readUsage(raw);
    return {
      outcome: 'complete',
      tail: rewrite ? Buffer.from(JSON.stringify(body)) : rest,
      usage,
      inputUsage: usage ? undefined : raw && this.options.readInput?.(raw),
      error: undefined,
      ...wire.stored?.(body),
      ...(wire.made && { made: wire.made(body) }),
    };
  }

  takeText(): DeliveredText {
    return this.tap.take();
  }
}

const failure = (error: RelayError): AnswerEnd => ({
  outcome: 'error',
  tail: undefined,
  usage: undefined,
  error,
});

function describe(body: Buffer, contentType: string): RelayError {
  if (body.length === 0) return refuse('answer_empty');
  if (contentType.includes('html') || firstByte(body) === 0x3c) {
    return refuse('answer_web_page');
  }
  return refuse('answer_not_json');
}

/** The first byte that is neither white space nor part of a byte order mark. */
function firstByte(bytes: Buffer): number | undefined {
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  while (at < bytes.length && bytes[at]! <= 0x20) at += 1;
  return bytes[at];
}

/**
 * The last usage object in the bytes. In JSON text a quote inside a string is escaped, so the key in its quotes can
 * only be a key or a whole value.
 */
export function findUsage(bytes: Buffer, usageKey: Buffer): JsonObject | undefined {
  for (
    let at = bytes.lastIndexOf(usageKey);
    at >= 0;
    at = at === 0 ? -1 : bytes.lastIndexOf(usageKey, at - 1)
  ) {
    let value = at + usageKey.length;
    while (value < bytes.length && (bytes[value]! <= 0x20 || bytes[value] === 0x3a)) value += 1;
    if (bytes[value] !== 0x7b) continue;
    const end = valueEnd(bytes, value);
    if (end > 0) return parseObject(bytes.subarray(value, end));
  }
  return undefined;
}

/** The format in a Content-Type; undefined for any other type. */
export function kindOf(contentType: string): BodyKind | undefined {
  if (contentType.includes('event-stream')) return 'stream';
  return contentType.includes('json') ? 'json' : undefined;
}

const anything = [Buffer.from(':')];

/** Waits for the first byte, which distinguishes events from JSON, if the vendor's Content-Type does not. */
export class SniffPipe implements AnswerPipe {
  private readonly open: (kind: BodyKind) => AnswerPipe;
  private readonly choose: (first: number | undefined) => BodyKind;
  private pipe: AnswerPipe | undefined;
  private blanks: Buffer[] = [];

  /** `choose` selects a pipe by the first byte; undefined for an answer of white space only. */
  constructor(open: (kind: BodyKind) => AnswerPipe, choose = eventsOrJson) {
    this.open = open;
    this.choose = choose;
  }

  get contentType(): string {
    return this.pipe?.contentType ?? 'application/json';
  }

  get failed(): boolean {
    return this.pipe?.failed ?? false;
  }

  get isEmpty(): boolean {
    return this.pipe?.isEmpty ?? true;
  }

  private chosen(kind: BodyKind): AnswerPipe {
    return (this.pipe ??= this.open(kind));
  }

  get mediaMarks(): readonly Buffer[] | undefined {
    // The format is not known yet: its first events are read one by one.
    return this.pipe ? this.pipe.mediaMarks : anything;
  }

  push(chunk: Buffer): Buffer | undefined {
    if (this.pipe) return this.pipe.push(chunk);
    const first = firstByte(chunk);
    this.blanks.push(chunk);
    // White space before JSON keeps a connection alive; a vendor sends little of it.
    if (first === undefined && this.blanks.length < 1_000) return undefined;
    const pipe = this.chosen(this.choose(first));
    return pipe.push(Buffer.concat(this.blanks));
  }

  end(broken: boolean): AnswerEnd {
    return this.chosen('json').end(broken);
  }

  takeText(): DeliveredText {
    return this.pipe?.takeText() ?? emptyText();
  }

  takeReport(): Usage | undefined {
    return this.pipe?.takeReport?.();
  }
}

/** `data:`, `event:`, `id:`, `retry:` or a comment. */
const eventsOrJson = (byte: number | undefined): BodyKind =>
  byte !== undefined && ':deir'.includes(String.fromCharCode(byte)) ? 'stream' : 'json';
