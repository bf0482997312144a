export { reportText } from './print.ts';
export { ImportRefused } from './kit/report.ts';
export { runImport } from './run-import.ts';
export { targetOf } from './target-of.ts';
