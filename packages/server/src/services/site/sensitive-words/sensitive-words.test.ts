import { describe, expect, it } from 'vitest';
import { compileWords } from './index.ts';

describe('sensitive words', () => {
  it('are found anywhere in a text, in any case, Chinese too', () => {
    const filter = compileWords('test_sensitive\n敏感词\n');
    expect(filter.find('this is a TEST_Sensitive text')).toBe('test_sensitive');
    expect(filter.find('这里有敏感词吗')).toBe('敏感词');
    expect(filter.find('nothing here')).toBeUndefined();
  });

  it('are literal: regular expression characters have no meaning', () => {
    const filter = compileWords('(a+)+$\n.*');
    expect(filter.find('aaaaaaaaaaaaaaaaaaaaaaaaaaaa!')).toBeUndefined();
    expect(filter.find('a .* b')).toBe('.*');
  });

  it('are found in all letters with the same lower case, and in no others', () => {
    const words = ['test_sensitive', 'i\u0307x-1', 'plain', '敏感词', 'ß9'];
    const filter = compileWords(words.join('\n'));
    for (const word of words) {
      expect(filter.find(`a ${word.toUpperCase().replace('SS', 'ß')} b`)).toBe(word);
      expect(filter.find(word.slice(1))).toBeUndefined();
    }
    expect(filter.find('İX-1')).toBe('i\u0307x-1');
    // The fast check assumes that no other character has one of these in its lower case.
    const caseless = /[\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3!-/:-@[-`{-~0-9]/;
    const others = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code)).filter(
      (letter) => letter.toLowerCase() !== letter && caseless.test(letter.toLowerCase()),
    );
    expect(others).toEqual([]);
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
