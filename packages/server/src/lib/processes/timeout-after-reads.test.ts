import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { timeoutAfterReads } from './timeout-after-reads.ts';

const closing: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Blocks this process, as if it were frozen. */
const standStill = (ms: number): void =>
  void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** Both ends of a connection. */
async function connected(): Promise<[Socket, Socket]> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const here = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [[there]] = (await Promise.all([once(server, 'connection'), once(here, 'connect')])) as [
    [Socket],
    [],
  ];
  closing.push(
    () => server.close(),
    () => here.destroy(),
    () => there.destroy(),
  );
  return [here, there];
}

it('is off where what it waits for arrived while this process stood still', async () => {
  const [here, there] = await connected();
  const happened: string[] = [];
  await new Promise<void>((resolve) => {
    const off = timeoutAfterReads(20, () => happened.push('late'));
    here.on('data', () => {
      happened.push('heard');
      off();
    });
    // After this turn, the event loop checks the timers before the socket.
    setImmediate(() => {
      there.write('in time');
      standStill(100);
      setTimeout(resolve, 50);
    });
  });
  expect(happened).toEqual(['heard']);
});

it('comes where nothing did, and never once it is off', async () => {
  const happened: string[] = [];
  await new Promise<void>((resolve) => {
    timeoutAfterReads(1, () => happened.push('off'))();
    timeoutAfterReads(5, () => {
      happened.push('late');
      resolve();
    });
  });
  expect(happened).toEqual(['late']);
});
