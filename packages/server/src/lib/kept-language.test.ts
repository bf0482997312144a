import { expect, it } from 'vitest';
import { keptLanguage } from './accept-language.ts';

it.each([
  ['', undefined],
  ['{}', undefined],
  ['{"language":""}', undefined],
  ['{"language":"en","notify_type":"email"}', 'en'],
  ['{"language":"zh"}', 'zh'],
  ['{"language":"fr"}', undefined],
  ['{"language":["en"]}', undefined],
  ['{"webhook_url":"https://a.example/?q=\\"language\\""}', undefined],
  ['{"language":"en"', undefined],
  ['["language"]', undefined],
])('settings %s keep %s', (setting, language) => {
  expect(keptLanguage(setting)).toBe(language);
});
