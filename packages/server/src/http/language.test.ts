import { describe, expect, it } from 'vitest';
import { readLanguage } from './access.ts';

describe('the language of an answer', () => {
  it.each([
    [undefined, 'zh'],
    ['', 'zh'],
    ['*', 'zh'],
    ['fr-FR,fr;q=0.9', 'zh'],
    ['en', 'en'],
    ['en-US,en;q=0.9,zh-CN;q=0.8', 'en'],
    ['zh-CN,zh;q=0.9,en;q=0.8', 'zh'],
    ['zh;q=0.3, en;q=0.7', 'en'],
    ['en;q=0, zh;q=0.1', 'zh'],
    ['en;q=broken', 'zh'],
  ])('for a caller who accepts %s is %s', (header, language) => {
    expect(readLanguage(header)).toBe(language);
  });

  it.each([
    [undefined, 'en', 'en'],
    ['fr-FR', 'en', 'en'],
    ['zh', 'en', 'zh'],
    ['en', 'zh', 'en'],
    [undefined, 'zh', 'zh'],
  ] as const)('for a caller who accepts %s and whose account has %s is %s', (header, kept, language) => {
    expect(readLanguage(header, kept)).toBe(language);
  });
});
