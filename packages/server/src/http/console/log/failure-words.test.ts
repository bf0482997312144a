import {
  filledWords,
  type RelayErrorEntry,
  relayErrors,
  untranslatable,
} from '@tollgate/contract/relay-errors';
import { describe, expect, it } from 'vitest';
import { failureWords } from './failure-words.ts';

const entries = Object.entries<RelayErrorEntry>(relayErrors);
/** Placeholder values that no pattern confuses with the text around them. */
const values = new Proxy<Record<string, string>>({}, { get: (_, name) => `<${String(name)}>` });

describe('the message of a failed call’s row', () => {
  it.each(entries)('%s are available in both languages, in whichever the row keeps them', (name, entry) => {
    const words = filledWords(entry, values);
    const code = entry.code ?? name;
    const saysLess = entry.en.includes('{what}') && !entry.zh.includes('{what}');
    for (const kept of saysLess ? [words.en] : [words.zh, words.en])
      expect({ zh: failureWords(kept, code, 'zh'), en: failureWords(kept, code, 'en') }).toEqual(words);
  });

  it('have texts in the same language inside them', () => {
    const words = filledWords(relayErrors.cannot_translate, {
      protocol: 'Gemini',
      what: untranslatable.several_answers,
    });
    expect(failureWords(words.en, 'cannot_translate', 'zh')).toBe(words.zh);
  });

  it.each([
    ['Rate limit reached for gpt-4o', 'rate_limit_exceeded'],
    ['任务不存在', 'unheard_of'],
    ['', ''],
  ])('of an upstream stays as it is: %j', (text, code) => {
    expect([failureWords(text, code, 'zh'), failureWords(text, code, 'en')]).toEqual([text, text]);
  });
});
