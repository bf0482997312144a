export { writeDocument } from './document.ts';
export { refusalsOf } from './refusals.ts';
