import type { Client } from '../client/client.ts';
import { parseTarget } from '../client/target.ts';
import type { AnswerHandler, AnswerHeaders, Controller, Request } from '../client/types.ts';

/** A call that records its events in order. */
export class Listener implements AnswerHandler {
  readonly heard: string[] = [];
  readonly done: Promise<void>;
  controller!: Controller;
  status = 0;
  headers: AnswerHeaders = {};
  error: Error | undefined;
  chunks: Buffer[] = [];
  /** Called with everything that is heard, immediately. */
  onHear: (what: string, listener: Listener) => void = () => undefined;
  private finish!: () => void;

  constructor() {
    this.done = new Promise((resolve) => {
      this.finish = resolve;
    });
  }

  get body(): string {
    return Buffer.concat(this.chunks).toString('latin1');
  }

  get bytes(): number {
    return this.chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  }

  private hear(what: string): void {
    if (what !== this.heard.at(-1)) this.heard.push(what);
    this.onHear(what, this);
  }

  onRequestStart(controller: Controller): void {
    this.controller = controller;
    this.hear('start');
  }

  onResponseStart(_controller: Controller, status: number, headers: AnswerHeaders): void {
    this.status = status;
    this.headers = headers;
    this.hear('head');
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    this.chunks.push(chunk);
    this.hear('data');
  }

  onResponseEnd(): void {
    this.finish();
    this.hear('end');
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.error = error;
    this.finish();
    this.hear('error');
  }
}

/** Makes a call and listens to it. */
export function call(
  client: Client,
  url: string,
  more: Partial<Request> = {},
  onHear: Listener['onHear'] = () => undefined,
): Listener {
  const listener = new Listener();
  listener.onHear = onHear;
  const request = {
    method: 'POST',
    headers: {},
    scope: 'operator',
    headersTimeoutMs: 0,
    bodyTimeoutMs: 0,
  } as const;
  client.dispatch(parseTarget(new URL(url)), { ...request, ...more }, listener);
  return listener;
}

/** Makes a call and waits for its end. */
export async function exchange(client: Client, url: string, more: Partial<Request> = {}): Promise<Listener> {
  const listener = call(client, url, more);
  await listener.done;
  return listener;
}
