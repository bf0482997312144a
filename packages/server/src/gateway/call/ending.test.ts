import { expect, test } from 'vitest';
import { Ending } from './ending.ts';

test('work that is done before its request ends is given', async () => {
  const ending = new Ending();
  expect(await ending.orEnd(Promise.resolve('done'))).toBe('done');
  await expect(ending.orEnd(Promise.reject(new Error('failed')))).rejects.toThrow('failed');
});

test('anyone who waits is let go when the request ends, also when it had ended before', async () => {
  const ending = new Ending();
  const endless = new Promise<string>(() => undefined);
  const waiting = ending.orEnd(endless);
  const { signal } = ending;
  expect(signal.aborted).toBe(false);
  ending.end();
  expect([await waiting, signal.aborted]).toEqual([undefined, true]);
  expect(await ending.orEnd(endless)).toBeUndefined();
  const late = new Ending();
  late.end();
  expect(late.signal.aborted).toBe(true);
});

test('work that fails after its request ended is nobody’s matter', async () => {
  const ending = new Ending();
  const work = Promise.withResolvers<string>();
  const waiting = ending.orEnd(work.promise);
  ending.end();
  work.reject(new Error('too late'));
  expect(await waiting).toBeUndefined();
});
