import { expect, test } from 'vitest';
import { isRequestId, matches } from './match.ts';

const entry = { label: 'Usage logs', keywords: '使用日志 /log' };

test.each(['usage', 'LOGS', 'logs usage', '日志', '/log', 'log 使用', ''])('%j finds an entry', (query) => {
  expect(matches(entry, query)).toBe(true);
});

test('a word may be in brackets', () => {
  expect(matches({ label: '切换到中文 (Chinese)' }, 'chin')).toBe(true);
});

test.each(['token', 'usage tokens', '令牌', 'sage'])('%j does not find it', (query) => {
  expect(matches(entry, query)).toBe(false);
});

test('a request id is distinguished from a name, a number and a part of an id', () => {
  expect(isRequestId('20261121052541555h0gbZ6tW')).toBe(true);
  expect(isRequestId('20261121052541')).toBe(false);
  expect(isRequestId('gpt-4o-mini')).toBe(false);
  expect(isRequestId('20261121052541555h0gbZ6tW extra')).toBe(false);
});
