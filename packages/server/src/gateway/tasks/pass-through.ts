import type { AnswerHandler, Controller, Outgoing } from '../../lib/outbound/http.ts';
import type { RelayError } from '../../relay/types/index.ts';
import { type ClientStream, hopHeader } from '../call/index.ts';
import { unanswered } from '../upstream/index.ts';
import type { TaskDeps } from './deps.ts';

type AnswerHeaders = Parameters<AnswerHandler['onResponseStart']>[2];

/** A download for a caller, and how its headers are passed on. */
export interface PassThrough {
  call: Pick<Outgoing, 'url' | 'headers' | 'scope'> & { proxy: string };
  /** The headers of the caller's answer; undefined if the vendor's answer must not be passed on. */
  headOf: (
    status: number,
    headers: AnswerHeaders,
  ) => { status: number; headers: Record<string, string> } | undefined;
  /** The error that replaces an answer that is not passed on. */
  missing: RelayError;
}

const headTimeoutMs = 30_000;

/**
 * Streams a vendor's file to a caller with backpressure. Rejects if nothing of it was sent; if it breaks off later,
 * the caller's connection is broken, so that a part is not taken for the whole file.
 */
export function passThrough(
  { gateway }: Pick<TaskDeps, 'gateway'>,
  client: ClientStream,
  { call, headOf, missing }: PassThrough,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let begun = false;
  let upstream: Controller | undefined;
  // If the caller stops reading, the vendor is paused, so that no further piece would show that they disconnected.
  client.onClose(() => upstream?.abort(onCallerClosed()));
  const handler: AnswerHandler = {
    onRequestStart(controller) {
      upstream = controller;
      client.follow(controller);
    },
    onResponseStart(controller, status, headers) {
      const head = headOf(status, headers);
      if (!head) return controller.abort(missing);
      begun = true;
      client.head(head.status, head.headers);
    },
    onResponseData(controller, chunk) {
      if (client.closed) controller.abort(onCallerClosed());
      else client.push(chunk);
    },
    onResponseEnd() {
      upstream = undefined;
      client.finish(undefined, {});
      resolve();
    },
    onResponseError(_controller, cause) {
      upstream = undefined;
      if (!begun) return reject(cause === missing ? missing : unanswered('upstream_unreachable', cause));
      client.destroy();
      resolve();
    },
  };
  const headers = { ...call.headers, [hopHeader]: '1' };
  const timeouts = { headersTimeoutMs: headTimeoutMs, bodyTimeoutMs: headTimeoutMs };
  gateway.http.dispatch({ ...call, method: 'GET', headers, ...timeouts }, handler);
  return promise;
}

const onCallerClosed = (): Error => new Error('the caller is gone');
