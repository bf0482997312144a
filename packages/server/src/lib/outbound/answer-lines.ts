import { Readable } from 'node:stream';
import type { Controller } from '@tollgate/http-engine';
import { AnswerTooLarge, type Http, type Outgoing } from './http.ts';

/** Limits of an answer that is read line by line. */
export interface LineLimits {
  /** Most bytes of a line. */
  maxLine: number;
  /** Most bytes of the answer. */
  maxBytes: number;
  /** The error for an answer without success, of which at most 64 KB are read. */
  refused(status: number, contentType: string, body: Buffer): Error;
}

const maxRefusal = 64 * 1024;

/** The lines of an answer without their ends, no faster than they are taken. Throws if the answer breaks off or is too large. */
export async function* answerLines(
  http: Pick<Http, 'dispatch'>,
  call: Outgoing,
  limits: LineLimits,
): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = [];
  let size = 0;
  for await (const chunk of answerBody(http, call, limits)) {
    let rest: Buffer = chunk;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      yield Buffer.concat([...pieces, rest.subarray(0, end)]);
      pieces = [];
      size = 0;
      rest = rest.subarray(end + 1);
    }
    size += rest.length;
    if (size > limits.maxLine) throw new AnswerTooLarge(limits.maxLine);
    if (rest.length > 0) pieces.push(rest);
  }
  if (size > 0) yield Buffer.concat(pieces);
}

/** The body of an answer as a stream, which pauses the vendor while it is not read. */
function answerBody(http: Pick<Http, 'dispatch'>, call: Outgoing, limits: LineLimits): AsyncIterable<Buffer> {
  let upstream: Controller | undefined;
  let head = { status: 0, contentType: '' };
  let size = 0;
  const refusal: Buffer[] = [];
  const body = new Readable({
    read: () => upstream?.resume(),
    destroy(error, done) {
      upstream?.abort(error ?? new Error('the rest of the answer is not needed'));
      upstream = undefined;
      done(error);
    },
  });
  const isRefused = (): boolean => head.status < 200 || head.status >= 300;
  http.dispatch(call, {
    onRequestStart(controller) {
      upstream = controller;
    },
    onResponseStart(_controller, status, headers) {
      head = { status, contentType: String(headers['content-type'] ?? '') };
    },
    onResponseData(controller, chunk) {
      size += chunk.length;
      if (isRefused()) {
        if (size <= maxRefusal) refusal.push(Buffer.from(chunk));
      } else if (size > limits.maxBytes) body.destroy(new AnswerTooLarge(limits.maxBytes));
      else if (!body.push(Buffer.from(chunk))) controller.pause();
    },
    onResponseEnd() {
      upstream = undefined;
      if (isRefused()) body.destroy(limits.refused(head.status, head.contentType, Buffer.concat(refusal)));
      else body.push(null);
    },
    onResponseError(_controller, error) {
      upstream = undefined;
      body.destroy(error);
    },
  });
  return body;
}
