import { expect, test } from 'vitest';
import { texts, translate } from './i18n.ts';

const text = texts({
  rows: { zh: '已导出 {count} 行', en: { one: '{count} row exported', other: '{count} rows exported' } },
  progress: { zh: '{done} / {total}', en: '{done} of {total}' },
  channel: { zh: '渠道 {id}', en: 'Channel {id}' },
});

test('how many there are is grouped, and one is told from many', () => {
  expect(translate('en', text.rows, { count: 6250 })).toBe('6,250 rows exported');
  expect(translate('zh', text.rows, { count: 6250 })).toBe('已导出 6,250 行');
  expect(translate('en', text.rows, { count: 1 })).toBe('1 row exported');
  expect(translate('en', text.rows, { count: 0 })).toBe('0 rows exported');
  expect(translate('en', text.progress, { done: 1000, total: 20000 })).toBe('1,000 of 20,000');
});

test('numbers that are names are shown as they are', () => {
  expect(translate('en', text.channel, { id: 12345 })).toBe('Channel 12345');
});
