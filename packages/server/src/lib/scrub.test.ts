import { expect, test } from 'vitest';
import { scrub } from './scrub.ts';

test('addresses are removed, with and without a name', () => {
  expect(scrub('dial tcp 10.0.0.7:8080: refused by https://internal.example/v1?key=abc now')).toBe(
    'dial tcp [address]: refused by [address] now',
  );
});

test('keys are removed, whole, half masked and after the word Bearer', () => {
  expect(scrub('Incorrect API key provided: sk-abcdefgh12345. Bearer abcdefghijkl was sent')).toBe(
    'Incorrect API key provided: [hidden] Bearer [hidden] was sent',
  );
  expect(scrub('key sk-ab***********yz', [])).toBe('key [hidden]');
});

test('a known secret is removed anywhere, also its parts', () => {
  expect(scrub('user wXyz123 said no to idOne', ['wXyz123', 'idOne|secretTwo'])).toBe(
    'user [hidden] said no to [hidden]',
  );
});

test('ids of organisations and projects are removed', () => {
  expect(scrub('Limit 30000 of org-AbCdEf0123456789abcdefgh, proj_AbCdEf0123456789abcdefgh reached')).toBe(
    'Limit 30000 of [hidden], [hidden] reached',
  );
  expect(scrub('The org-wide limit of project proj-x')).toBe('The org-wide limit of project proj-x');
});

test('ordinary words are kept', () => {
  expect(scrub('The model gpt-4o does not exist (code 404).')).toBe(
    'The model gpt-4o does not exist (code 404).',
  );
});
