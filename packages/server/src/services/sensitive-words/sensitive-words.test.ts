import { describe, expect, it } from 'vitest';
import { compileWords } from './index.ts';

describe('sensitive words', () => {
  it('are found anywhere in a text, whatever the case, Chinese too', () => {
    const filter = compileWords('test_sensitive\n敏感词\n');
    expect(filter.find('this is a TEST_Sensitive text')).toBe('test_sensitive');
    expect(filter.find('这里有敏感词吗')).toBe('敏感词');
    expect(filter.find('nothing here')).toBeUndefined();
  });

  it('are literal: characters of regular expressions mean themselves', () => {
    const filter = compileWords('(a+)+$\n.*');
    expect(filter.find('aaaaaaaaaaaaaaaaaaaaaaaaaaaa!')).toBeUndefined();
    expect(filter.find('a .* b')).toBe('.*');
  });

  it('are found among thousands as among a few', () => {
    const list = Array.from({ length: 5_000 }, (_, index) => `word${index}x`).join('\n');
    expect(compileWords(list).find('what about Word4999X then')).toBe('word4999x');
    expect(compileWords(list).find('what about word5000x then')).toBeUndefined();
  });

  it('forbid nothing when the list is empty or blank', () => {
    const filter = compileWords(' \n\n');
    expect(filter.isEmpty).toBe(true);
    expect(filter.find('anything')).toBeUndefined();
  });
});
