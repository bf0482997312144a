export { writeDocument } from './document.ts';
export { refusalsOf } from './refusals.ts';
export { SchemaWriter } from './shape/schemas.ts';
