import { moneyDigits } from '../quota.ts';
import type { Words } from '../words.ts';
import { keptTexts, keptWords } from './kept-texts.ts';
import { testTokenWords } from './test-token.ts';
import { wayToSignIn } from './sign-in-ways.ts';

export type TextPattern = readonly [pattern: RegExp, words: string];

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Finds a stored text with any values. */
function patternOf({ zh, en }: Words): TextPattern {
  const pieces = zh.split(/\{(\w+)\}/);
  const source = pieces
    .map((piece, index) => (index % 2 === 0 ? escaped(piece) : `(?<${piece}>.+?)`))
    .join('');
  const isOpen = zh.endsWith('}');
  return [new RegExp(isOpen ? `${source}$` : source), en.replace(/\{(\w+)\}/g, '$<$1>')];
}

/** Texts that rows keep in Chinese, and how they read in English. */
export const keptPatterns: readonly TextPattern[] = [
  [/网关中断，按已送达内容的估算计费/, keptTexts.crashed.en],
  ...Object.values(keptTexts).map(patternOf),
  [new RegExp(`^${testTokenWords.zh}$`), testTokenWords.en],
];

/** Stored amounts, which occur in other texts, so they are read last. */
export const amountPatterns: readonly TextPattern[] = [
  [/＄(-?[\d.]+) 额度/g, '$$$1'],
  [/(-?\d+) 点额度/g, '$1 units'],
  // Rows of tasks keep the sign without the word.
  [/＄(?=-?\d)/g, '$$'],
];

const kept = /(?<=＄-?)\d+\.\d{6}(?= 额度)/g;

/** Rows keep six decimals of every amount; people read them in the precision of the whole console (`moneyDigits`). */
export function inOnePrecision(text: string): string {
  const dollars = text.match(kept);
  if (!dollars) return text;
  const digits = moneyDigits(dollars.map(Number), 1);
  return text.replace(kept, (amount) => Number(amount).toFixed(digits));
}

/** A text in English by patterns; what none of them knows stays as it is. */
export const inEnglish = (text: string, patterns: readonly TextPattern[]): string =>
  patterns.reduce((words, [pattern, replacement]) => words.replace(pattern, replacement), text);

const [signInPattern] = patternOf(keptTexts.signedIn);

/** A text of a row, with ways to sign in as their readers call them: rows keep names of programs (`password`). */
function withWay(text: string, language: 'zh' | 'en'): string {
  const method = new RegExp(`^${signInPattern.source}`).exec(text)?.groups?.method;
  return method === undefined
    ? text
    : keptWords('signedIn', { method: wayToSignIn(method)[language] })[language];
}

/** A stored text in English; a person's text stays unchanged. */
export const keptInEnglish = (text: string): string =>
  inEnglish(inOnePrecision(withWay(text, 'en')), [...keptPatterns, ...amountPatterns]);

/** A text of a row as it is read in Chinese. */
export const keptInChinese = (text: string): string => withWay(text, 'zh');
