export { compileWords, currentWordFilter } from './word-filter.ts';
