import { Readable } from 'node:stream';
import { product } from '@tollgate/contract';

/** Parts of an answer; everything except `data` is for calls with special requirements of the API. */
export interface AnswerParts<Data, Extra = undefined> {
  data: Data;
  /** Fields beside `data` at the top level of the envelope. */
  extra?: Extra;
  /** Overrides the route's success message. */
  message?: string;
  /** False for errors with data (channel test: `time` also on failure). */
  success?: boolean;
  /** HTTP status, 200 by default. */
  status?: number;
}

/** An answer with more than data. A separate class, so that data with the same fields remain data. */
export class Answer<Data, Extra = undefined> {
  readonly parts: AnswerParts<Data, Extra>;

  constructor(parts: AnswerParts<Data, Extra>) {
    this.parts = parts;
  }
}

/** Returns data together with its own message, top-level fields, a failure flag or a status. */
export const answer = <Data, Extra = undefined>(parts: AnswerParts<Data, Extra>): Answer<Data, Extra> =>
  new Answer(parts);

const fileTypes = {
  csv: 'text/csv; charset=utf-8',
  pdf: 'application/pdf',
  jsonl: 'application/jsonl; charset=utf-8',
};

/** A file in place of the envelope. Its first piece is read before the headers are sent: an error until then is a refusal. */
export class FileAnswer {
  /** Name of the file without its ending. */
  readonly name: string;
  private readonly ending: keyof typeof fileTypes;
  private readonly pieces: AsyncGenerator<string | Buffer>;

  constructor(name: string, ending: keyof typeof fileTypes, pieces: AsyncGenerator<string | Buffer>) {
    this.name = name;
    this.ending = ending;
    this.pieces = pieces;
  }

  async serve(): Promise<Served> {
    const { pieces } = this;
    const first = await pieces.next();
    async function* all() {
      if (!first.done) yield first.value;
      yield* pieces;
    }
    return {
      status: 200,
      body: Readable.from(all()),
      headers: {
        'content-type': fileTypes[this.ending],
        'content-disposition': `attachment; filename="${product.id}-${this.name}.${this.ending}"`,
      },
    };
  }
}

/** The response: an envelope as JSON, or unchanged text (payment callbacks, redirects). */
export interface Served {
  status: number;
  body: object | string;
  /** Further headers; text bodies are `text/plain` unless specified. */
  headers?: Record<string, string>;
}
