import type { Words } from '@tollgate/contract';
import {
  formFaults,
  type Language,
  type RelayErrorEntry,
  relayErrors,
  untranslatable,
  vertexKeyFaults,
} from '@tollgate/contract/relay-errors';

/** Our own error texts as stored in rows, by language. */
interface Sentence {
  words: Words;
  /** Language of the text in rows. */
  kept: Language;
  pattern: RegExp;
  /** The names of the values in it, in order. */
  slots: string[];
  /** Number of letters outside of values: sentences with more of them are searched first. */
  letters: number;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Undefined for a text that is only a value, because it would match everything. */
function sentenceOf(words: Words, kept: Language): Sentence | undefined {
  const pieces = words[kept].split(/\{(\w+)\}/);
  const texts = pieces.filter((_, index) => index % 2 === 0);
  if (texts.every((text) => text.trim() === '')) return undefined;
  const slots = pieces.filter((_, index) => index % 2 === 1);
  const others = words[kept === 'zh' ? 'en' : 'zh'].matchAll(/\{(\w+)\}/g);
  // A text without a translation is unchanged.
  if ([...others].some(([, slot]) => !slots.includes(slot!))) return undefined;
  const pattern = new RegExp(`^${texts.map(escaped).join('(.+?)')}$`, 's');
  return { words, kept, pattern, slots, letters: texts.join('').length };
}

const byLetters = (one: Sentence, other: Sentence): number => other.letters - one.letters;

/** Rows have English texts; those of earlier versions have Chinese ones too. */
const inBoth = (words: Words): Sentence[] =>
  [sentenceOf(words, 'zh'), sentenceOf(words, 'en')].filter((found) => found !== undefined);

/** Errors of relay calls by the code that their rows have. */
const errors = new Map<string, Sentence[]>();
for (const [name, entry] of Object.entries<RelayErrorEntry>(relayErrors)) {
  const code = entry.code ?? name;
  const { zh, en } = entry;
  const known = [...(errors.get(code) ?? []), ...inBoth({ zh, en })];
  errors.set(code, known.toSorted(byLetters));
}

/** Values in errors that are texts themselves, in the language of their error. */
const details = [untranslatable, formFaults, vertexKeyFaults]
  .flatMap((table) => Object.values<Words>(table))
  .flatMap(inBoth)
  .toSorted(byLetters);

/** The text in a language, if it is a known sentence in the other one; otherwise unchanged. */
function translated(text: string, sentences: readonly Sentence[], language: Language): string {
  for (const { words, kept, pattern, slots } of sentences) {
    if (kept === language) continue;
    const values = pattern.exec(text)?.slice(1);
    if (!values) continue;
    return words[language].replace(/\{(\w+)\}/g, (slot, name: string) =>
      translated(values[slots.indexOf(name)] ?? slot, sentences === details ? [] : details, language),
    );
  }
  return text;
}

/**
 * The text of a failed call's row in its reader's language. An upstream's text stays unchanged.
 *
 * @param code - `error_code` of the row
 */
export const failureWords = (text: string, code: string, language: Language): string =>
  translated(text, errors.get(code) ?? [], language);
