import { expect, test } from 'vitest';
import { abilities, anthropicAndXai, ends, openFacts } from './index.ts';
import { china } from './china.ts';
import { google } from './google.ts';
import { openai } from './openai.ts';
import { others } from './others.ts';

const find = openFacts();
const lines = [anthropicAndXai, china, google, openai, others].flatMap((table) => table.trim().split('\n'));

test('every line is a vendor, or names with two numbers and known letters', () => {
  for (const line of lines)
    expect(line).toMatch(/^[\w-]+:$|^[\w.-]+( [\w.-]+)* \| (\d+|-) (\d+|-) ([a-z]+|-)$/);
  const names = lines
    .filter((line) => line.includes('|'))
    .flatMap((line) => line.split(' | ')[0]!.split(' '));
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) {
    const facts = find(name);
    expect([name, facts?.vendor]).not.toEqual([name, '']);
    const letters =
      lines
        .find((line) => ` ${line} `.includes(` ${name} `))
        ?.split(' ')
        .at(-1) ?? '-';
    expect([name, facts?.abilities.length]).toEqual([name, letters === '-' ? 0 : letters.length]);
  }
});

test('facts are those of the model of exactly that name, also after its vendor’s', () => {
  expect(find('gpt-4o')).toMatchObject({ vendor: 'openai', input: 128_000, output: 16_384 });
  expect(find('gpt-4o')?.abilities).toEqual(expect.arrayContaining(['vision', 'tools', 'structured']));
  expect(find('openai/gpt-4o')).toBe(find('gpt-4o'));
  // Perplexity's own name for it has the vendor in front.
  expect(find('perplexity/sonar')).toMatchObject({
    vendor: 'perplexity',
    input: 128_000,
    abilities: ['search'],
  });
});

test('a model that its vendor shuts down has the date, and the last days are those of known models', () => {
  expect(find('gpt-4o-mini-2024-07-18')?.ends).toBe('2027-01-14');
  expect(find('openai/gpt-4.1-2025-04-14')?.ends).toBe('2027-01-14');
  expect(find('gpt-6-sol')?.ends).toBeUndefined();
  const ended = ends.trim().split('\n');
  for (const line of ended) {
    const [day = '', ...names] = line.split(' ');
    expect(new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10)).toBe(day);
    for (const name of names) expect([name, find(name)?.ends]).toEqual([name, day]);
  }
});

test('unknown names have no facts', () => {
  for (const name of ['gpt-4o-of-mine', 'house/gpt-4o', 'gpt', '', 'constructor'])
    expect(find(name)).toBeUndefined();
  expect(abilities.length).toBeGreaterThan(10);
});
