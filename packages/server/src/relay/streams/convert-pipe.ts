import {
  type AnswerEnd,
  type AnswerPipe,
  type DeliveredText,
  type Converted,
  RelayError,
  refuse,
} from '../types/index.ts';
import { type JsonObject, parseObject } from '../../lib/json.ts';
import { emptyText } from './text-tap.ts';

/**
 * Limit of a JSON answer with packed data (sound as hex digits), which must be complete before it can be unpacked.
 */
const maxBytes = 64 * 1024 * 1024;

/**
 * Collects a whole JSON answer and returns its content under another type: sound, subtitles. Nothing is sent before
 * the settlement.
 */
export class ConvertPipe implements AnswerPipe {
  contentType = 'application/json';
  failed = false;
  isEmpty = true;
  private readonly convert: (answer: JsonObject) => Converted;
  private chunks: Buffer[] = [];
  private bytes = 0;

  constructor(convert: (answer: JsonObject) => Converted) {
    this.convert = convert;
  }

  push(chunk: Buffer): undefined {
    this.bytes += chunk.length;
    if (this.bytes > maxBytes) {
      this.failed = true;
      this.chunks = [];
    } else this.chunks.push(chunk);
  }

  end(broken: boolean): AnswerEnd {
    const nothing = { tail: undefined, usage: undefined, error: undefined };
    if (this.failed) return { ...nothing, outcome: 'error', error: refuse('answer_too_much') };
    if (broken) return { ...nothing, outcome: 'truncated' };
    const answer = parseObject(Buffer.concat(this.chunks, this.bytes));
    this.chunks = [];
    try {
      if (!answer) throw refuse('answer_other_kind');
      const { contentType, body, usage } = this.convert(answer);
      this.contentType = contentType;
      this.isEmpty = body.length === 0;
      return { outcome: 'complete', tail: body, usage, error: undefined };
    } catch (error) {
      if (error instanceof RelayError) return { ...nothing, outcome: 'error', error };
      throw error;
    }
  }

  takeText(): DeliveredText {
    return emptyText();
  }
}
