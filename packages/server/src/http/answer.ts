/** Parts of an answer; everything but `data` is for calls with something special on the wire. */
export interface AnswerParts<Data, Extra = undefined> {
  data: Data;
  /** Fields beside `data` at the top of the envelope. */
  extra?: Extra;
  /** Overrides the route's success words. */
  message?: string;
  /** False for refusals that carry data (channel test: `time` also on failure). */
  success?: boolean;
  /** HTTP status, 200 by default. */
  status?: number;
}

/** An answer with more to it than data. A class of its own, so that data which happens to have the same fields stays data. */
export class Answer<Data, Extra = undefined> {
  readonly parts: AnswerParts<Data, Extra>;

  constructor(parts: AnswerParts<Data, Extra>) {
    this.parts = parts;
  }
}

/** Answers data together with a message of its own, top-level fields, a failure flag or a status. */
export const answer = <Data, Extra = undefined>(parts: AnswerParts<Data, Extra>): Answer<Data, Extra> =>
  new Answer(parts);

/** What goes back over the wire: an envelope as JSON, or text as it is (payment callbacks, redirects). */
export interface Served {
  status: number;
  body: object | string;
  /** Further headers; text bodies are `text/plain` unless said otherwise. */
  headers?: Record<string, string>;
}
