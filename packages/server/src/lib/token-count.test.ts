import { expect, test } from 'vitest';
import { createTokenCounter } from './token-count.ts';

const counter = createTokenCounter();

test('counts as OpenAI counts', async () => {
  // Known values of OpenAI's own tokenizer page.
  expect(await counter.count('tiktoken is great!', 'cl100k')).toBe(6);
  expect(await counter.count('hello world', 'o200k')).toBe(2);
  expect(await counter.count('', 'o200k')).toBe(0);
});

test('marks of the model in a text are text', async () => {
  expect(await counter.count('a <|endoftext|> b', 'cl100k')).toBeGreaterThan(3);
});

test('cutting into pieces does not change the count of ordinary text', async () => {
  const line = 'The quick brown fox jumps over the lazy dog, and nobody knows why it did so. ';
  const one = await counter.count(line, 'o200k');
  const many = await counter.count(line.repeat(500), 'o200k');
  expect(Math.abs(many - one * 500)).toBeLessThanOrEqual(501);
});

test('an unbroken run is counted in bounded steps and nearly right', async () => {
  const letters = await counter.count('a'.repeat(200_000), 'o200k');
  expect(letters).toBeGreaterThan(200_000 / 9);
  expect(letters).toBeLessThan(200_000 / 6);
  const emoji = await counter.count('😀'.repeat(3_000), 'cl100k');
  expect(emoji).toBeGreaterThanOrEqual(3_000);
});

test('beyond the cap the rest is taken to be like the beginning', async () => {
  const text = 'one two three four five '.repeat(50_000);
  const tokens = await counter.count(text, 'cl100k');
  expect(tokens).toBeGreaterThan(245_000);
  expect(tokens).toBeLessThan(255_000);
});
