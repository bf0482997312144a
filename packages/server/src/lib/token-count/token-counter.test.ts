import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { afterAll, describe, expect, it, test, vi } from 'vitest';
import { countAtMost } from './count-at-most.ts';
import { countPieces, type Tokenizer } from './count-pieces.ts';
import { createTokenCounter } from './token-counter.ts';

const counter = createTokenCounter();
afterAll(() => counter.close());

test('counts as OpenAI counts', async () => {
  // Known values from OpenAI's own tokenizer page.
  expect(await counter.count(['tiktoken is great!'], 'cl100k')).toBe(6);
  expect(await counter.count(['hello world'], 'o200k')).toBe(2);
  expect(await counter.count([''], 'o200k')).toBe(0);
});

test('special tokens of the model in a text count as text', async () => {
  expect(await counter.count(['a <|endoftext|> b'], 'cl100k')).toBeGreaterThan(3);
});

test('cutting into parts does not change the count of ordinary text', async () => {
  const line = 'The quick brown fox jumps over the lazy dog, and nobody knows why it did so. ';
  const one = await counter.count([line], 'o200k');
  const many = await counter.count([line.repeat(500)], 'o200k');
  expect(Math.abs(many - one * 500)).toBeLessThanOrEqual(501);
});

test('an unbroken run is counted in bounded steps and nearly right', async () => {
  const letters = await counter.count(['a'.repeat(200_000)], 'o200k');
  expect(letters).toBeGreaterThan(200_000 / 9);
  expect(letters).toBeLessThan(200_000 / 6);
  const emoji = await counter.count(['😀'.repeat(3_000)], 'cl100k');
  expect(emoji).toBeGreaterThanOrEqual(3_000);
});

test('beyond the cap the rest is estimated from the beginning', async () => {
  const text = 'one two three four five '.repeat(50_000);
  const tokens = await counter.count([text], 'cl100k');
  expect(tokens).toBeGreaterThan(245_000);
  expect(tokens).toBeLessThan(255_000);
});

test('beyond the cap the upper bound counts the rest by its bytes', async () => {
  const easy = 'one two three four five '.repeat(41_700);
  const dense = '龘靐'.repeat(50_000);
  const pieces = [easy.slice(0, 500_000), easy.slice(500_000), dense];
  const exact = (await Promise.all(pieces.map((text) => counter.count([text], 'cl100k')))).reduce(
    (sum, tokens) => sum + tokens,
  );
  const text = easy + dense;
  expect(await counter.count([text], 'cl100k')).toBeLessThan(exact);
  const bound = await countAtMost(counter).count([text, 'hello world'], 'cl100k');
  expect(bound).toBeGreaterThanOrEqual(exact + 2);
  expect(bound).toBeLessThan(exact + 300_000);
  expect(await countAtMost(counter).count(['hello world', ''], 'cl100k')).toBe(2);
});

test('a turn of the event loop counts a part of one long text, however many are counted at once', async () => {
  let [inTurn, most] = [0, 0];
  const slow: Tokenizer = {
    countTokens(text) {
      inTurn += text.length;
      most = Math.max(most, inTurn);
      return text.length;
    },
  };
  const counting = Array.from({ length: 20 }, () => countPieces(slow, 'word '.repeat(50_000)));
  inTurn = 0;
  most = 0;
  let isOver = false;
  const all = Promise.all(counting).then((counts) => {
    isOver = true;
    return counts;
  });
  while (!isOver) {
    await new Promise(setImmediate);
    inTurn = 0;
  }
  expect(await all).toEqual(counting.map(() => 250_000));
  expect(most).toBeLessThanOrEqual(21_000);
});

test('texts that are requested together are counted separately', async () => {
  const texts = ['to', 'gether', '', ' we stand'];
  const each = await Promise.all(texts.map((text) => counter.count([text], 'o200k')));
  expect(await counter.count(texts, 'o200k')).toBe(each.reduce((sum, tokens) => sum + tokens));
});

test('requests of one turn go to the thread in one message, and each has its own count', async () => {
  const post = vi.spyOn(Worker.prototype, 'postMessage');
  const texts = Array.from({ length: 50 }, (_, index) => 'word '.repeat(index + 1).trim());
  const counts = await Promise.all(texts.map((text) => counter.count([text], 'o200k')));
  expect(counts).toEqual(texts.map((_, index) => index + 1));
  expect(post).toHaveBeenCalledTimes(1);
  post.mockRestore();
});

/** Counts in a separate process; prints the counts and the number of tokenizer modules in its main thread. */
const program = `
  const { registerHooks } = await import('node:module');
  const seen = [];
  registerHooks({
    load(url, context, next) {
      if (/tokenizer|count-pieces/.test(url)) seen.push(url);
      return next(url, context);
    },
  });
  const { createTokenCounter } = await import(process.argv[1]);
  const counter = createTokenCounter();
  const counts = [await counter.count(['hello world'], 'o200k'), await counter.count(['hello world'], 'cl100k')];
  await import(process.argv[2]);
  console.log(JSON.stringify({ counts, seen: seen.length }));
`;

describe('the thread of the event loop', () => {
  it('loads no vocabulary and no counter, and the counter does not keep the process alive', async () => {
    const here = (file: string): string => new URL(file, import.meta.url).href;
    const parts = [program, here('./token-counter.ts'), here('./count-pieces.ts')];
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', ...parts]);
    // The only load is the explicit one at the end, which proves that loads are detected.
    expect(JSON.parse(stdout)).toEqual({ counts: [2, 2], seen: 1 });
  });
});

describe('a counter whose thread dies', () => {
  const kill = (worker: Worker): void => void worker.terminate();

  it('repeats its requests in a new one', async () => {
    const frail = createTokenCounter();
    process.once('worker', kill);
    expect(await frail.count(['one two three'], 'o200k')).toBe(3);
    expect(await frail.count(['one two'], 'o200k')).toBe(2);
    await frail.close();
  });

  it('rejects a request that kills it again, and goes on with later ones', async () => {
    const frail = createTokenCounter();
    process.on('worker', kill);
    await expect(frail.count(['one two three'], 'o200k')).rejects.toThrow('has ended');
    process.off('worker', kill);
    expect(await frail.count(['one two'], 'o200k')).toBe(2);
    await frail.close();
  });

  it('rejects what it has not counted when it is closed', async () => {
    const closing = createTokenCounter();
    const [asked] = await Promise.allSettled([closing.count(['never'], 'o200k'), closing.close()]);
    expect(asked).toMatchObject({ status: 'rejected', reason: { message: 'the token counter is closed' } });
    await expect(closing.count(['later'], 'o200k')).rejects.toThrow('closed');
  });
});
