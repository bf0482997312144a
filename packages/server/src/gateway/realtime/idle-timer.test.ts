import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, it } from 'vitest';
import type { Closing } from './end.ts';
import { IdleTimer } from './idle-timer.ts';

it('ends no session for a silence that was its own process standing still', async () => {
  let send = () => {};
  const server = createServer((socket) => {
    // The other side disconnects with unread events.
    socket.on('error', () => undefined);
    send = () => void socket.write('an event');
    setInterval(send, 20).unref();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const upstream = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const ends: Closing[] = [];
  const timer = new IdleTimer({
    limits: { idleMs: 400, upstreamTimeoutMs: 200 },
    isHeldUp: () => false,
    isAnswering: () => true,
    end: (closing) => ends.push(closing),
  });
  upstream.on('data', () => timer.resetUpstream());
  try {
    await once(upstream, 'data');
    await new Promise<void>((resolve) => {
      // After this turn timers run before sockets, and an event is waiting in the socket.
      setTimeout(() => {
        send();
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
        setTimeout(resolve, 30);
      }, 30);
    });
    expect(ends).toEqual([]);
    upstream.pause();
    await expect.poll(() => ends.length).toBeGreaterThan(0);
  } finally {
    timer.close();
    upstream.destroy();
    server.close();
  }
});
