import { expect, test } from 'vitest';
import { findFacts, listPrice } from './index.ts';
import data from './models.json' with { type: 'json' };
import { formatModelBook, modelBook } from './schema.ts';

const book = modelBook.parse(data);
const models = Object.entries(book.models);

test('models.json keeps to its schema, knows something of each model, and is written as its tool writes it', () => {
  expect(models.filter(([, about]) => Object.keys(about).length === 0)).toEqual([]);
  // Sorted names and one model per line keep the tool's diffs to the models that change.
  expect(Object.keys(data.models)).toEqual(Object.keys(data.models).toSorted((a, b) => (a < b ? -1 : 1)));
  expect(formatModelBook(JSON.parse(formatModelBook(book)))).toBe(formatModelBook(data as typeof book));
});

test('every list price names a source that is described', () => {
  const unknown = models.filter(([, { price }]) => price && !Object.hasOwn(book.sources, price.source));
  expect(unknown).toEqual([]);
});

test('a list price in yuan is read in dollars, at nine digits', () => {
  expect(listPrice('ernie-4.5-turbo-128k')).toEqual({ input: 0.115, output: 0.46, cacheRead: 0.02875 });
  expect(listPrice('gpt-6-astra')).toEqual({ input: 10, output: 50, cacheRead: 1 });
  for (const name of ['dall-e-3', 'nobody-knows', 'constructor']) expect(listPrice(name)).toBeUndefined();
});

test('an announced price follows a list price whose other classes keep their ratio to the input', () => {
  const announced = models.flatMap(([name, { announced = [] }]) =>
    announced.map((price) => ({ name, price })),
  );
  expect(announced.length).toBeGreaterThan(0);
  for (const { name, price } of announced) {
    const { day: _day, ...later } = price;
    const now = listPrice(name)!;
    const factors = Object.entries(later).map(([each, amount]) => amount / now[each as 'input']);
    for (const factor of factors) expect([name, factor]).toEqual([name, expect.closeTo(factors[0]!, 9)]);
  }
});

test('facts are those of the model of exactly that name, also after its vendor’s', () => {
  expect(findFacts('gpt-4o')).toMatchObject({ vendor: 'openai', input: 128_000, output: 16_384 });
  expect(findFacts('gpt-4o')?.abilities).toEqual(expect.arrayContaining(['vision', 'tools', 'structured']));
  expect(findFacts('openai/gpt-4o')).toBe(findFacts('gpt-4o'));
  expect(findFacts('openai/gpt-4.1-2025-04-14')?.ends).toBe('2027-01-14');
  expect(findFacts('gpt-6-sol')?.ends).toBeUndefined();
  // Perplexity's own name for the model has a vendor prefix.
  expect(findFacts('perplexity/sonar')).toMatchObject({ vendor: 'perplexity', abilities: ['search'] });
  for (const name of ['gpt-4o-of-mine', 'house/gpt-4o', 'gpt', '', 'constructor'])
    expect(findFacts(name)).toBeUndefined();
});
