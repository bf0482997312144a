import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTokenCounter } from '../../lib/token-count/token-counter.ts';
import { countRequest, countText } from '../../relay/token-count.ts';
import { buildRequest } from '../../testing/protocols/build-relay.ts';
import type { DeliveredText } from '../../relay/types/index.ts';
import { maxCountedLength } from '../../lib/token-count/count-at-most.ts';
import { Meter, tokenBound, tokenBoundOf } from './meter.ts';

const counter = createTokenCounter();
/** One model for each built-in vocabulary. */
const models = ['gpt-4o', 'gpt-4'];

/** Characters of a range of code points. */
const within = (from: number, to: number): fc.Arbitrary<string> =>
  fc.string({
    unit: fc.integer({ min: from, max: to }).map((point) => String.fromCodePoint(point)),
    maxLength: 80,
  });
const ofUnits = (...units: string[]): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...units), maxLength: 80 });

/** Scripts of every kind, dense and plain. */
const writing = fc.oneof(
  ofUnits('const ', 'a', '=', '[', ']', '(', ')', '=>', '{', '}', ';', '\n', '  ', '"', '\\', '&&', '0'),
  ofUnits('0', '1', '9', ',', '.', ' ', '-', 'e'),
  ofUnits('the ', 'quick', ' brown', ' fox', '. ', '\n\n', "'s", 'ä', 'ß'),
  within(0x4e00, 0x9fff),
  within(0x20000, 0x2a6df),
  within(0x1200, 0x137f),
  within(0x1000, 0x109f),
  within(0x0f00, 0x0fff),
  within(0x1f300, 0x1faff),
  within(0x1d400, 0x1d7ff),
  ofUnits('a', '\u0301', '\u0300', '\u20dd', '\u200d', '\ufe0f', '\u{1f9d1}', 'z\u0335\u0321'),
  fc.base64String({ maxLength: 200 }),
  fc.string({ unit: fc.constantFrom(...Array.from('0123456789abcdef')), maxLength: 200 }),
  within(0, 0x20),
  fc.string({ unit: 'binary', maxLength: 80 }),
);
const text = fc.array(writing, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''));
const runs = { numRuns: 400 };

const spoken = (output: string): DeliveredText => ({ output, reasoning: '', toolCalls: 0, omitted: 0 });

describe.each(models)('in the vocabulary of %s', (model) => {
  const count = (of: string): Promise<number> => countText(counter, of, model);

  it('no text has more tokens than bytes', () =>
    fc.assert(
      fc.asyncProperty(text, async (of) => {
        expect(await count(of)).toBeLessThanOrEqual(tokenBound(of));
      }),
      runs,
    ));

  it('no prompt has more tokens than three times its estimate, in any protocol', () =>
    fc.assert(
      fc.asyncProperty(text, async (of) => {
        const messages = [{ role: 'user', content: of }];
        const requests = [
          buildRequest('openai-chat', { model, messages }),
          buildRequest('openai-responses', { model, input: of }),
          buildRequest('anthropic-messages', { model, max_tokens: 5, messages }),
          buildRequest('gemini', { contents: [{ role: 'user', parts: [{ text: of }] }] }, { model }),
          buildRequest('openai-completions', { model, prompt: of }),
          buildRequest('openai-embeddings', { model, input: [of] }),
        ];
        for (const { facts, json, protocol } of requests) {
          const counted = await countRequest(counter, protocol, json, model);
          expect(facts.estimatedInputTokens * 3, protocol).toBeGreaterThanOrEqual(counted);
        }
      }),
      { numRuns: 150 },
    ));

  it('what was delivered is never more than the meter counts, before or after it was counted', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(text, fc.boolean()), { minLength: 1, maxLength: 6 }),
        async (parts) => {
          const meter = new Meter(model, (of) => count(of));
          let delivered = '';
          for (const [part, isCounted] of parts) {
            const more = spoken(part);
            delivered += part;
            expect(meter.upperBound + tokenBoundOf(more)).toBeGreaterThanOrEqual(await count(delivered));
            const exact = isCounted ? await meter.totalBound(more) : undefined;
            meter.add(more, exact);
            expect(meter.upperBound).toBeGreaterThanOrEqual(await count(delivered));
          }
          expect((await meter.total()).output).toBe(await count(delivered));
        },
      ),
      runs,
    ));
});

it('a count that fails rejects the total, and no other promise', async () => {
  const meter = new Meter('gpt-4o', () => Promise.reject(new Error('no thread')));
  meter.add(spoken('many words follow each other, '.repeat(3_000)));
  // An unhandled rejection would fail this file.
  await new Promise((resolve) => setImmediate(resolve));
  await expect(meter.total()).rejects.toThrow('no thread');
});

it('text that is added while the bound is refined keeps its own bound', async () => {
  const { promise: counted, resolve: count } = Promise.withResolvers<number>();
  const meter = new Meter('gpt-4o', () => counted);
  meter.add(spoken('one two three'));
  const refining = meter.refine();
  meter.add(spoken('x'.repeat(5_000)));
  count(3);
  await refining;
  expect(meter.upperBound).toBeGreaterThanOrEqual(5_003);
});

it('a text of any length is counted in parts, and the memory for what is not yet counted is bounded', async () => {
  const lengths: number[] = [];
  const meter = new Meter('gpt-4o', (text) => {
    lengths.push(text.length);
    return Promise.resolve(text.length);
  });
  const text = 'x'.repeat(3_000_000);
  meter.add({ ...spoken(text), omitted: 1_000 });
  expect((await meter.total()).output).toBe(3_000_000 + 250);
  expect(await meter.totalBound()).toBe(3_000_000 + 3_000);
  expect(Math.max(...lengths)).toBeLessThan(maxCountedLength);
  await meter.refine();
  expect(meter.upperBound).toBeGreaterThanOrEqual(3_003_000);
});
