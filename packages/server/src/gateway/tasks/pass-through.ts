import type { AnswerHandler, Controller, Outgoing } from '../../lib/outbound/http.ts';
import type { RelayError } from '../../relay/types/index.ts';
import { RefusalBody } from '../answer/index.ts';
import { type ClientStream, type GatewayDeps, hopHeader } from '../call/index.ts';
import { unanswered } from '../upstream/index.ts';

type AnswerHeaders = Parameters<AnswerHandler['onResponseStart']>[2];

/** A call for a caller whose answer is passed on as it is, and how its headers are passed on. */
export interface PassThrough {
  call: Pick<Outgoing, 'url' | 'headers' | 'scope'> & {
    proxy: string;
    method?: Outgoing['method'];
    /** Most ms between two pieces. */
    silenceMs?: number;
  };
  /** The headers of the caller's answer; undefined if the vendor's answer must not be passed on. */
  headOf: (
    status: number,
    headers: AnswerHeaders,
  ) => { status: number; headers: Record<string, string> } | undefined;
  /** The error that replaces an answer that is not passed on. */
  missing: RelayError;
  /** Reads the error from an answer that is not passed on, instead of `missing`. */
  readError?: (status: number, contentType: string, body: RefusalBody) => RelayError;
}

const headTimeoutMs = 30_000;

/**
 * Streams a vendor's answer to a caller with backpressure. Rejects if nothing of it was sent; if it breaks off later,
 * the caller's connection is broken, so that a part is not taken for the whole.
 */
export function passThrough(
  { http }: Pick<GatewayDeps, 'http'>,
  client: ClientStream,
  { call: { silenceMs = headTimeoutMs, method = 'GET', ...call }, headOf, missing, readError }: PassThrough,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let begun = false;
  let refused: { status: number; contentType: string; body: RefusalBody } | undefined;
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
      if (!head && !readError) return controller.abort(missing);
      if (!head) {
        const { 'content-type': type } = headers;
        refused = { status, contentType: String(type ?? ''), body: new RefusalBody() };
        return;
      }
      begun = true;
      client.head(head.status, head.headers);
    },
    onResponseData(controller, chunk) {
      if (client.closed) controller.abort(onCallerClosed());
      else if (refused && !refused.body.add(chunk)) controller.abort(missing);
      else if (!refused) client.push(chunk);
    },
    onResponseEnd() {
      upstream = undefined;
      if (refused && readError) return reject(readError(refused.status, refused.contentType, refused.body));
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
  const timeouts = { headersTimeoutMs: headTimeoutMs, bodyTimeoutMs: silenceMs };
  http.dispatch({ ...call, method, headers, ...timeouts }, handler);
  return promise;
}

/** A source for a caller that waits while they read more slowly than it sends. */
export class SlowReader {
  /** Pending until the caller has read; undefined if there is nothing to wait for. */
  wait: Promise<void> | undefined;
  private ready: (() => void) | undefined;

  pause(): void {
    this.wait ??= new Promise((resolve) => (this.ready = resolve));
  }

  resume(): void {
    this.ready?.();
    this.wait = undefined;
  }

  abort(): void {
    this.resume();
  }
}

/** Sends a text that the gateway keeps to a caller, as fast as they read. Its connection is broken if a part is missing. */
export async function sendParts(
  client: ClientStream,
  headers: Record<string, string>,
  parts: AsyncIterable<Buffer>,
): Promise<void> {
  const slow = new SlowReader();
  client.onClose(() => slow.resume());
  client.follow(slow);
  client.head(200, headers);
  try {
    for await (const part of parts) {
      if (client.closed) return;
      client.push(part);
      await slow.wait;
    }
  } catch (error) {
    if (!client.started) throw error;
    return client.destroy();
  }
  client.finish(undefined, {});
}

const onCallerClosed = (): Error => new Error('the caller is gone');
