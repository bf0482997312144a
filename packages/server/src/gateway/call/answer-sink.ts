/** Where an answer goes: what the gateway needs of a response. */
export interface AnswerSink {
  readonly headersSent: boolean;
  readonly writableEnded: boolean;
  readonly writableFinished: boolean;
  readonly destroyed: boolean;
  writeHead(status: number, headers: Record<string, string>): unknown;
  /**
   * All of an answer in one piece, with its length. `late` are headers that were known later than the others and have
   * other names; so the two need not be joined.
   */
  answer(
    status: number,
    headers: Record<string, string>,
    late: Record<string, string>,
    body: Buffer | undefined,
  ): unknown;
  /** False when there is no room for more; `drain` follows. */
  write(chunk: Buffer): boolean;
  addTrailers(trailers: Record<string, string>): void;
  end(chunk?: Buffer): unknown;
  destroy(): unknown;
  once(event: 'close' | 'drain', listener: () => void): unknown;
}

/** `AnswerSink.answer` for one that writes a head and a body, each by itself. */
export function answerWithHead(
  sink: Pick<AnswerSink, 'writeHead' | 'end'>,
  status: number,
  headers: Record<string, string>,
  body: Buffer | undefined,
): void {
  sink.writeHead(status, { ...headers, 'content-length': String(body?.length ?? 0) });
  sink.end(body);
}
