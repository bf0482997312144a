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

/** The response: an envelope as JSON, or unchanged text (payment callbacks, redirects). */
export interface Served {
  status: number;
  body: object | string;
  /** Further headers; text bodies are `text/plain` unless specified. */
  headers?: Record<string, string>;
}
