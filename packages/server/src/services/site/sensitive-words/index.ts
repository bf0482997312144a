export { compileWords } from './compile.ts';
export { currentWordFilter } from './current.ts';
