import type { SseEvent } from '../../lib/sse/index.ts';
import type { JsonObject } from '../../lib/json.ts';
import { type EventScanner, EventUnframer } from './event-unframer.ts';

/** Converts a vendor's events to OpenAI's chat chunks. */
export interface OwnReader {
  /** The chunks of an event; a failure is an object with `error`. */
  read(event: SseEvent): readonly JsonObject[];
  /** True after the vendor's last event. */
  readonly ended: boolean;
}

/** Converts a vendor's own stream to OpenAI's, with its end marker after the vendor's last event. */
export class OwnStream extends EventUnframer {
  private readonly reader: OwnReader;
  private isMarked = false;

  constructor(reader: OwnReader, scanner?: EventScanner) {
    super(scanner);
    this.reader = reader;
  }

  protected override written(event: SseEvent): string {
    if (this.isMarked) return '';
    const chunks = this.reader.read(event).map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
    if (this.reader.ended) {
      this.isMarked = true;
      chunks.push('data: [DONE]\n\n');
    }
    return chunks.join('');
  }
}

/** A line with one JSON object is an event. No model sends longer ones. */
const maxLineBytes = 16 * 1024 * 1024;
const LF = 0x0a;

/** Splits lines of JSON (`application/x-ndjson`) into events. */
export class LineScanner implements EventScanner {
  private pieces: Buffer[] = [];
  private size = 0;

  push(chunk: Buffer): SseEvent[] {
    const events: SseEvent[] = [];
    let from = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, from)) {
      this.keep(chunk.subarray(from, end));
      const data = Buffer.concat(this.pieces, this.size).toString().trim();
      this.pieces = [];
      this.size = 0;
      if (data !== '') events.push({ name: '', data });
      from = end + 1;
    }
    this.keep(chunk.subarray(from));
    return events;
  }

  private keep(piece: Buffer): void {
    if (piece.length === 0) return;
    this.pieces.push(piece);
    this.size += piece.length;
    if (this.size > maxLineBytes) throw new Error('a line of the stream is too long');
  }
}

/** The id of the answer in each of its chunks. */
export interface AnswerHead {
  id: string;
  /** Unix seconds. */
  created: number;
  model: string;
}

/** A chunk of OpenAI's; with a finish reason it is the last one and has the usage. */
export const chunkOf = (
  head: AnswerHead,
  delta: JsonObject,
  finishReason: string | null = null,
  usage?: JsonObject,
): JsonObject => ({
  ...head,
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason: finishReason }],
  ...(usage && { usage }),
});

/** A whole answer in OpenAI's format, with the fields that its schema requires. */
export const answerOf = (
  head: AnswerHead,
  message: JsonObject,
  finishReason: string,
  usage?: JsonObject,
): JsonObject => ({
  ...head,
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', refusal: null, ...message },
      logprobs: null,
      finish_reason: finishReason,
    },
  ],
  ...(usage && { usage }),
});

/** The usage in OpenAI's format; undefined if there is none. */
export const openaiUsage = (input: number, output: number): JsonObject | undefined =>
  input + output > 0
    ? { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
    : undefined;
