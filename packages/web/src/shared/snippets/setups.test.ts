import { describe, expect, test } from 'vitest';
import { pastableModel, type SetupPart, setups, textOfPart } from './setups.ts';

const values = { origin: 'https://gate.example', apiKey: 'sk-abc', model: 'some-model' };

describe.each(setups.map((setup) => [setup.name, setup] as const))('%s', (_name, { parts, protocols }) => {
  test.each(protocols)('has the address and the key in %s, and nothing that is not filled in', (protocol) => {
    const text = parts(values, protocol).map(textOfPart).join('');
    expect(text).toContain('https://gate.example');
    expect(text).toContain('sk-abc');
    expect(text).not.toMatch(/undefined|\[object|\{\w+\}/);
  });

  test('speaks its first protocol unless another is asked for', () => {
    expect(parts(values)).toEqual(parts(values, protocols[0]));
  });
});

test('names every program once', () => {
  expect(new Set(setups.map(({ id }) => id)).size).toBe(setups.length);
});

test.each<[SetupPart, string]>([
  [{ kind: 'env', values: { A: 'b', C: 'd' } }, 'export A="b"\nexport C="d"\n'],
  [{ kind: 'fields', values: { Host: 'h' } }, 'Host: h\n'],
  [{ kind: 'file', path: 'x', text: 'y\n' }, 'y\n'],
  [{ kind: 'command', text: 'run' }, 'run\n'],
])('%o is copied as %j', (part, text) => {
  expect(textOfPart(part)).toBe(text);
});

test.each([
  ['deepseek/deepseek-r1:free', 'deepseek/deepseek-r1:free'],
  ['通义千问-max', '通义千问-max'],
  ['a$(id)', 'MODEL'],
  ['a"; b', 'MODEL'],
  ['a`b`', 'MODEL'],
  ['two words', 'MODEL'],
  ['-flag', 'MODEL'],
  [undefined, 'MODEL'],
])('the model %j is pasted as %s', (name, pasted) => {
  expect(pastableModel(name)).toBe(pasted);
});
