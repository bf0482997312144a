import { expect, test } from 'vitest';
import { Cancellation } from './client-stream.ts';

test('work that finishes before its request ends gives its result', async () => {
  const cancellation = new Cancellation();
  expect(await cancellation.unlessCancelled(Promise.resolve('done'))).toBe('done');
  await expect(cancellation.unlessCancelled(Promise.reject(new Error('failed')))).rejects.toThrow('failed');
});

test('a wait resolves without a result when the request ends, also when it had ended before', async () => {
  const cancellation = new Cancellation();
  const endless = new Promise<string>(() => undefined);
  const waiting = cancellation.unlessCancelled(endless);
  const { signal } = cancellation;
  expect(signal.aborted).toBe(false);
  cancellation.cancel();
  expect([await waiting, signal.aborted]).toEqual([undefined, true]);
  expect(await cancellation.unlessCancelled(endless)).toBeUndefined();
  const late = new Cancellation();
  late.cancel();
  expect(late.signal.aborted).toBe(true);
});

test('a failure of work after its request ended is ignored', async () => {
  const cancellation = new Cancellation();
  const work = Promise.withResolvers<string>();
  const waiting = cancellation.unlessCancelled(work.promise);
  cancellation.cancel();
  work.reject(new Error('too late'));
  expect(await waiting).toBeUndefined();
});
