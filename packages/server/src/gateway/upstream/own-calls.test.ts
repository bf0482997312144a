import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import type { AnswerHandler } from '../../lib/outbound/http.ts';
import { LocalCall } from './prepare.ts';
import { SocketCall } from './socket-call.ts';

let vendor: WebSocketServer;

beforeEach(async () => {
  vendor = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  vendor.on('connection', (socket) => socket.on('message', () => socket.send('{"last":true}')));
  await once(vendor, 'listening');
});
afterEach(() => new Promise((resolve) => vendor.close(resolve)));

const overSocket = (): SocketCall =>
  new SocketCall(
    {
      url: `ws://127.0.0.1:${(vendor.address() as AddressInfo).port}`,
      headers: {},
      body: Buffer.from('{}'),
      overSocket: { isLast: () => true },
    },
    '',
    { headersTimeoutMs: 5_000, bodyTimeoutMs: 5_000 },
  );

const inProcess = (): LocalCall =>
  new LocalCall(
    {
      status: 200,
      headers: {},
      headDelayMs: 0,
      chunks: [{ delayMs: 0, bytes: Buffer.from('{"last":true}') }],
      ending: 'end',
    },
    5_000,
  );

/** Runs a call whose handler throws at one of its events. Returns the events that the handler received. */
async function heard(call: Pick<LocalCall, 'run'>, throwsAt: keyof AnswerHandler): Promise<string[]> {
  const events: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const hear = (event: keyof AnswerHandler): void => {
    events.push(event);
    if (event === 'onResponseEnd' || event === 'onResponseError') resolve();
    if (event === throwsAt) throw new Error('a fault of ours');
  };
  call.run({
    onRequestStart: () => hear('onRequestStart'),
    onResponseStart: () => hear('onResponseStart'),
    onResponseData: () => hear('onResponseData'),
    onResponseEnd: () => hear('onResponseEnd'),
    onResponseError: (_controller, error) => {
      events.push(error.message);
      hear('onResponseError');
    },
  });
  await promise;
  return events;
}

describe.each([
  { what: 'over a socket', make: overSocket },
  { what: 'made in the process', make: inProcess },
])('a call $what', ({ make }) => {
  it('is served from its beginning to its end', async () => {
    const whole = ['onRequestStart', 'onResponseStart', 'onResponseData', 'onResponseEnd'];
    expect(await heard(make(), 'onResponseError')).toEqual(whole);
  });

  it.each(['onResponseStart', 'onResponseData', 'onResponseEnd'] as const)(
    'ends with the exception of its handler in %s, and the process goes on',
    async (throwsAt) => {
      const events = await heard(make(), throwsAt);
      expect(events.slice(events.indexOf(throwsAt) + 1)).toEqual(['a fault of ours', 'onResponseError']);
    },
  );
});
