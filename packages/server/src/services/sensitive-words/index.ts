import { AhoCorasick } from '@monyone/aho-corasick/fast';

/** Finds forbidden words in text, literally and whatever the case; never a user's regular expression (security.md V1). */
export interface WordFilter {
  /** The first forbidden word of the text, undefined when there is none. */
  find(text: string): string | undefined;
  readonly isEmpty: boolean;
}

/** Compiles a word list, one entry a line; blank lines count for nothing. */
export function compileWords(lines: string): WordFilter {
  const words = [...new Set(lines.split('\n').map((line) => line.trim().toLowerCase()))].filter(
    (word) => word !== '',
  );
  if (words.length === 0) return { isEmpty: true, find: () => undefined };
  return words.length <= fewWords ? fewWordFilter(words) : manyWordFilter(words);
}

/** Up to so many words the engine's own text search, one word after another, is faster than an automaton in JavaScript. */
const fewWords = 64;

const fewWordFilter = (words: readonly string[]): WordFilter => ({
  isEmpty: false,
  find(text) {
    const lower = text.toLowerCase();
    return words.find((word) => lower.includes(word));
  },
});

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
