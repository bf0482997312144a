export { compileWords, type WordFilter } from './compile.ts';
export { currentWordFilter } from './current.ts';
