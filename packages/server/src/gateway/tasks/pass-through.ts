import type { AnswerHandler, Controller, Outgoing } from '../../lib/outbound/http.ts';
import type { RelayError } from '../../relay/types/index.ts';
import { type ClientStream, hopHeader } from '../call/index.ts';
import { unanswered } from '../upstream/index.ts';
import type { TaskDeps } from './deps.ts';

type AnswerHeaders = Parameters<AnswerHandler['onResponseStart']>[2];

/** What is fetched for a caller, and how its head is passed on. */
export interface Passed {
  call: Pick<Outgoing, 'url' | 'headers' | 'scope'> & { proxy: string };
  /** The head of the caller's answer; undefined where the answer is not one to be passed on. */
  headOf: (
    status: number,
    headers: AnswerHeaders,
  ) => { status: number; headers: Record<string, string> } | undefined;
  /** What is said in the place of an answer that is not passed on. */
  missing: RelayError;
}

const headTimeoutMs = 30_000;

/**
 * Streams what a vendor made through to a caller, piece by piece, at the caller's pace. Rejects where nothing of it has
 * left; one that breaks off later breaks the caller's connection, so that nobody takes a part for the whole.
 */
export function passThrough(
  { gateway }: Pick<TaskDeps, 'gateway'>,
  client: ClientStream,
  { call, headOf, missing }: Passed,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let begun = false;
  let upstream: Controller | undefined;
  // A caller who takes nothing holds the vendor still, so that no further piece would tell that they left.
  client.onClose(() => upstream?.abort(callerGone()));
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
      if (client.closed) controller.abort(callerGone());
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

const callerGone = (): Error => new Error('the caller is gone');
