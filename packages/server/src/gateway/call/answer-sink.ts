/** What the gateway needs of a response. */
export interface AnswerSink {
  readonly headersSent: boolean;
  readonly writableEnded: boolean;
  readonly writableFinished: boolean;
  readonly destroyed: boolean;
  writeHead(status: number, headers: Record<string, string>): unknown;
  /** As `answerWhole`; absent where head and body are written separately. */
  answer?(
    status: number,
    headers: Record<string, string>,
    late: Record<string, string>,
    body: Buffer | undefined,
  ): unknown;
  /** False when the buffer is full; `drain` follows. */
  write(chunk: Buffer): boolean;
  addTrailers(trailers: Record<string, string>): void;
  end(chunk?: Buffer): unknown;
  destroy(): unknown;
  once(event: 'close' | 'drain', listener: () => void): unknown;
}

/**
 * Sends a whole answer in one piece, with its length. `late` are headers that became known later; their names differ from
 * those of the others, so that the two need not be merged.
 */
export function answerWhole(
  sink: Pick<AnswerSink, 'answer' | 'writeHead' | 'end'>,
  status: number,
  headers: Record<string, string>,
  late: Record<string, string>,
  body: Buffer | undefined,
): void {
  if (sink.answer) {
    sink.answer(status, headers, late, body);
    return;
  }
  sink.writeHead(status, { ...headers, ...late, 'content-length': String(body?.length ?? 0) });
  sink.end(body);
}
