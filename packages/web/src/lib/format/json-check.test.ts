import { expect, test } from 'vitest';
import { findJsonFault, tidyJson } from './json-check.ts';

test('valid JSON and an empty text have no error', () => {
  expect(findJsonFault('{"a": [1, -2.5e3, true, null, "\\u00e9"]}')).toBeNull();
  expect(findJsonFault('  ')).toBeNull();
});

test.each([
  ['{\n  "a": 1,\n  "b": oops\n}', { line: 3, column: 8 }],
  ['{"a": 1,}', { line: 1, column: 9 }],
  ["{'a': 1}", { line: 1, column: 2 }],
  ['[1 2]', { line: 1, column: 4 }],
  ['{"a" 1}', { line: 1, column: 6 }],
  ['{} {}', { line: 1, column: 4 }],
  ['[01]', { line: 1, column: 2 }],
  ['"line\nbreak"', { line: 1, column: 1 }],
])('the first error of %j is found', (text, fault) => {
  expect(findJsonFault(text)).toEqual(fault);
});

test('an incomplete text has its error at the end', () => {
  expect(findJsonFault('{\n"a": 1')).toEqual({ line: 2, column: 7 });
  expect(tidyJson('{"a": 1')).toBe('{"a": 1');
});
