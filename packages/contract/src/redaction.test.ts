import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileRedaction, redact, RedactionError } from './redaction.ts';

const mask = (pattern: string, text: string): string => redact(text, [compileRedaction(pattern)]);

describe('a redaction', () => {
  it.each([
    ['[\\w.+-]+@[\\w-]+\\.[a-z]{2,}', 'write to ann.b@example.com, or not', 'write to [redacted], or not'],
    ['\\d{4}(?:[ -]\\d{4}){3}', 'card 4111 1111-1111 1111 ok', 'card [redacted] ok'],
    ['secret|token', 'My SECRET token', 'My [redacted] [redacted]'],
    ['sk-[a-z0-9]{3,5}', 'sk-ab sk-abcd sk-abcdefg', 'sk-ab [redacted] [redacted]fg'],
    ['colou?r', 'color colour', '[redacted] [redacted]'],
  ])('%s masks all of its matches', (pattern, text, shown) => {
    expect(mask(pattern, text)).toBe(shown);
  });

  it.each([
    '(a)\\1',
    '(?=a)',
    '(?<=a)b',
    '(a',
    'a)',
    'a**',
    '[a',
    '',
    'a*',
    'a|',
    'x'.repeat(201),
    'a{1000}',
    '^a',
    '\\b',
  ])('is not accepted as %s', (pattern) => {
    expect(() => compileRedaction(pattern)).toThrow(RedactionError);
  });

  it('masks every character that JavaScript’s expression matches, for random expressions and texts', () => {
    const atom = fc.constantFrom('a', 'b', '[ab]', '[^a]', '\\d', '.', '(?:a|bc)', '(?:ab)');
    const times = fc.constantFrom('', '', '+', '{2}', '{1,3}', '?');
    const pattern = fc
      .array(fc.tuple(atom, times), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.map((part) => part.join('')).join(''));
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', '1', ' '), { maxLength: 40 })
      .map((each) => each.join(''));
    fc.assert(
      fc.property(pattern, text, (source, words) => {
        fc.pre(!new RegExp(`^(?:${source})$`).test(''));
        const marked = new Set<number>();
        for (const [begun, end] of compileRedaction(source).find(words))
          for (let at = begun; at < end; at += 1) marked.add(at);
        for (const { index, 0: found } of words.matchAll(new RegExp(source, 'gi')))
          for (let at = index; at < index + found.length; at += 1) expect(marked).toContain(at);
        // Each marked part is made of matches: its start begins one.
        for (const [begun] of compileRedaction(source).find(words))
          expect(new RegExp(source, 'iy').test(words.slice(begun))).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('follows all ways of a match at once', () => {
    const text = 'a'.repeat(20_000);
    expect(mask('(?:a+)+b', text)).toBe(text);
    expect(mask('[\\w.]+@', text)).toBe(text);
  });
});
