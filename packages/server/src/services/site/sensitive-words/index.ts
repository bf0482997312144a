import { AhoCorasick } from '@monyone/aho-corasick/fast';
import type { Settings } from '../settings/index.ts';

/** Finds forbidden words in text, literally and ignoring case; never a user's regular expression. */
interface WordFilter {
  /** The first forbidden word of the text; undefined for none. */
  readonly find: (text: string) => string | undefined;
  readonly isEmpty: boolean;
}

/** Compiles a word list, one entry per line; blank lines are ignored. */
export function compileWords(lines: string): WordFilter {
  const words = [...new Set(lines.split('\n').map((line) => line.trim().toLowerCase()))].filter(
    (word) => word !== '',
  );
  if (words.length === 0) return { isEmpty: true, find: () => undefined };
  return words.length <= fewWords ? fewWordFilter(words) : manyWordFilter(words);
}

/** Up to this many words, the engine's own text search for each word is faster than an automaton in JavaScript. */
const fewWords = 64;

function fewWordFilter(list: readonly string[]): WordFilter {
  const words = list.map((word) => ({ word, mark: markOf(word) }));
  return {
    isEmpty: false,
    find(text) {
      let lower: string | undefined;
      for (const { word, mark } of words) {
        if (mark !== undefined && !text.includes(mark)) continue;
        lower ??= text.toLowerCase();
        if (lower.includes(word)) return word;
      }
      return undefined;
    },
  };
}

/**
 * Characters that are not the lower-case form of another character: ideographs, kana, hangul, and ASCII except letters.
 */
const caseless = /[\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]|[!-/:-@[-`{-~]|[0-9]/;

/**
 * A character of the word that every text with the word must contain unchanged, so that most texts need neither
 * lower-casing nor a search; undefined if it has only letters.
 */
const markOf = (word: string): string | undefined => caseless.exec(word)?.[0];

function manyWordFilter(words: string[]): WordFilter {
  const automaton = new AhoCorasick(words);
  return {
    isEmpty: false,
    find(text) {
      const lower = text.toLowerCase();
      return automaton.hasKeywordInText(lower) ? automaton.matchInText(lower)[0]?.keyword : undefined;
    },
  };
}

/** The filter for the present settings; null without words. Compiled again when the list changes. */
export function currentWordFilter(settings: Settings): () => WordFilter | null {
  const compile = (): WordFilter => compileWords(settings.get('SensitiveWords').join('\n'));
  let filter = compile();
  settings.onChange((changed) => {
    if (changed.has('SensitiveWords')) filter = compile();
  });
  return () => {
    const on = settings.get('CheckSensitiveEnabled') && settings.get('CheckSensitiveOnPromptEnabled');
    return on && !filter.isEmpty ? filter : null;
  };
}
