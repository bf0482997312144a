import { expect, test } from 'vitest';
import { firstLanguage } from './language.ts';

test.each([
  [['en-GB', 'zh-CN'], 'en'],
  [['zh-TW', 'en'], 'zh'],
  [['de-DE', 'zh-Hans', 'en'], 'zh'],
  [['de-DE', 'fr'], 'en'],
  [['ZH'], 'zh'],
  [[], 'zh'],
] as const)('a first visit of a browser that prefers %j is in %s', (preferred, language) => {
  expect(firstLanguage(preferred)).toBe(language);
});
