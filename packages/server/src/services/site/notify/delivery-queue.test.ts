import { afterEach, describe, expect, it } from 'vitest';
import { createDeliveryQueue, type DeliveryQueue } from './delivery-queue.ts';
import { PermanentFailure } from './types.ts';

const lines: object[] = [];
const log = {
  debug: () => undefined,
  info: () => undefined,
  warn: (fields: object) => void lines.push(fields),
  error: () => undefined,
};
let queue: DeliveryQueue;
afterEach(async () => {
  lines.length = 0;
  await queue.close();
});
const about = { notice: 'test', userId: 1 };

describe('the delivery queue', () => {
  it('tries again after a temporary failure, and gives up after the last pause', async () => {
    queue = createDeliveryQueue({ log, pausesMs: [1, 1] });
    let tries = 0;
    let gaveUp = 0;
    const send = async () => {
      tries += 1;
      throw new Error('busy', { cause: new Error('socket closed') });
    };
    queue.add({ about, send, gaveUp: () => void (gaveUp += 1) });
    await queue.idle();
    expect([tries, gaveUp]).toEqual([3, 1]);
    expect(lines).toEqual([{ ...about, tries: 3, reason: 'busy: socket closed' }]);
  });

  it('does not try again after a permanent failure', async () => {
    queue = createDeliveryQueue({ log, pausesMs: [1, 1] });
    let tries = 0;
    queue.add({
      about,
      send: async () => {
        tries += 1;
        throw new PermanentFailure('no such address');
      },
    });
    await queue.idle();
    expect(tries).toBe(1);
  });

  it('is bounded: waiting, running and repeated deliveries count', async () => {
    queue = createDeliveryQueue({ log, maxWaiting: 5, concurrency: 2, pausesMs: [1_000_000] });
    const gate = Promise.withResolvers<void>();
    let running = 0;
    let most = 0;
    const send = async () => {
      running += 1;
      most = Math.max(most, running);
      await gate.promise;
      running -= 1;
      throw new Error('try later');
    };
    const taken = Array.from({ length: 8 }, () => queue.add({ about, send }));
    expect(taken).toEqual([true, true, true, true, true, false, false, false]);
    gate.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    expect(most).toBe(2);
    // All five wait for their second attempt and still fill the queue.
    expect(queue.add({ about, send })).toBe(false);
  });

  it('is not blocked by one receiver that hangs', async () => {
    queue = createDeliveryQueue({ log, concurrency: 2 });
    const gate = Promise.withResolvers<void>();
    const done: number[] = [];
    queue.add({ about, send: () => gate.promise });
    for (let i = 0; i < 5; i += 1) queue.add({ about, send: async () => void done.push(i) });
    await new Promise((resolve) => setImmediate(resolve));
    expect(done).toEqual([0, 1, 2, 3, 4]);
    gate.resolve();
    await queue.idle();
  });

  it('accepts nothing more once closed, and does not wait', async () => {
    queue = createDeliveryQueue({ log, pausesMs: [1_000_000] });
    queue.add({ about, send: () => Promise.reject(new Error('later')) });
    await new Promise((resolve) => setImmediate(resolve));
    await queue.close();
    await queue.idle();
    expect(queue.add({ about, send: async () => undefined })).toBe(false);
  });
});
