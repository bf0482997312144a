import { moneyDigits } from '../quota.ts';
import type { Words } from '../words.ts';
import { keptTexts, keptWords } from './kept-texts.ts';
import { testTokenWords } from './test-token.ts';
import { wayToSignIn } from './sign-in-ways.ts';

export type TextPattern = readonly [pattern: RegExp, words: string];

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Pattern that matches a stored text with any values. */
function patternOf({ zh, en }: Words): TextPattern {
  const pieces = zh.split(/\{(\w+)\}/);
  const source = pieces
    .map((piece, index) => (index % 2 === 0 ? escaped(piece) : `(?<${piece}>.+?)`))
    .join('');
  const isOpen = zh.endsWith('}');
  return [new RegExp(isOpen ? `${source}$` : source), en.replace(/\{(\w+)\}/g, '$<$1>')];
}

/** Texts that rows store in Chinese, with their English versions. */
export const keptPatterns: readonly TextPattern[] = [
  [/网关中断，按已送达内容的估算计费/, keptTexts.crashed.en],
  ...Object.values(keptTexts).map(patternOf),
  [new RegExp(`^${testTokenWords.zh}$`), testTokenWords.en],
];

/** Stored amounts. They are parts of other texts, so these patterns apply last. */
export const amountPatterns: readonly TextPattern[] = [
  [/＄(-?[\d.]+) 额度/g, '$$$1'],
  [/(-?\d+) 点额度/g, '$1 units'],
  // Task rows contain the sign without the word.
  [/＄(?=-?\d)/g, '$$'],
];

const kept = /(?<=＄-?)\d+\.\d{6}(?= 额度)/g;

/** Rows store six decimals of each amount. Readers see the precision of the console (`moneyDigits`). */
export function inOnePrecision(text: string): string {
  const dollars = text.match(kept);
  if (!dollars) return text;
  const digits = moneyDigits(dollars.map(Number), 1);
  return text.replace(kept, (amount) => Number(amount).toFixed(digits));
}

/** Converts a text to English by patterns. Parts without a pattern stay unchanged. */
export const inEnglish = (text: string, patterns: readonly TextPattern[]): string =>
  patterns.reduce((words, [pattern, replacement]) => words.replace(pattern, replacement), text);

const [signInPattern] = patternOf(keptTexts.signedIn);

/** Replaces a sign-in method in a row's text by its display name. Rows store the internal name (`password`). */
function withWay(text: string, language: 'zh' | 'en'): string {
  const method = new RegExp(`^${signInPattern.source}`).exec(text)?.groups?.method;
  return method === undefined
    ? text
    : keptWords('signedIn', { method: wayToSignIn(method)[language] })[language];
}

/** A stored text in English; a person's text stays unchanged. */
export const keptInEnglish = (text: string): string =>
  inEnglish(inOnePrecision(withWay(text, 'en')), [...keptPatterns, ...amountPatterns]);

/** A row's text in Chinese. */
export const keptInChinese = (text: string): string => withWay(text, 'zh');
