export { writeDocument } from './document.ts';
