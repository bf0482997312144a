import { isObject, type Json, type JsonObject, objectsIn, textOf } from '../../lib/json.ts';

// A strict reader is the vendor's own check of a request, as its documentation and its refusals tell it: it notes what the
// vendor would refuse (`faults`), and what its model is told.

/** A call of the conversation with its arguments as JSON text, and what came of it. */
export interface ToldCall {
  id: string;
  name: string;
  input: string;
  /** Words of its results. */
  words: string[];
}

export interface Reading {
  faults: string[];
  /** Words by who said them; those of tools are with their calls. */
  said: Record<'system' | 'user' | 'assistant', string[]>;
  calls: ToldCall[];
  /** Data or addresses of images and documents, wherever they stand. */
  files: string[];
  tools: string[];
}

export const newReading = (): Reading => ({
  faults: [],
  said: { system: [], user: [], assistant: [] },
  calls: [],
  files: [],
  tools: [],
});

/** Notes a fault where a condition does not hold; answers the condition. */
export function need(reading: Reading, condition: boolean, fault: string): boolean {
  if (!condition) reading.faults.push(fault);
  return condition;
}

/** Members beyond the known ones are refused by every vendor here. */
export function onlyKnown(reading: Reading, object: JsonObject, known: string, where: string): void {
  const names = new Set(known.split(' '));
  for (const name of Object.keys(object)) need(reading, names.has(name), `${where}: unknown field ${name}`);
}

/** A list of objects, not empty. */
export function filledList(reading: Reading, value: Json | undefined, where: string): JsonObject[] {
  need(
    reading,
    Array.isArray(value) && value.length > 0 && value.every(isObject),
    `${where}: no list of objects`,
  );
  return objectsIn(value);
}

export const functionName = /^[\w-]{1,64}$/;
export const imageType = /^image\/(png|jpeg|gif|webp)$/;

/** An address or data as OpenAI reads it in `image_url` and `file_data`. */
export function readUrl(reading: Reading, url: Json | undefined, types: RegExp, where: string): void {
  const text = textOf(url);
  const [, type, data] = /^data:([^;,]+);base64,(.+)$/s.exec(text) ?? [];
  need(
    reading,
    type === undefined ? /^https?:\/\//.test(text) : types.test(type),
    `${where}: ${text.slice(0, 40)}`,
  );
  reading.files.push(data ?? text);
}

/** Tools, by their names, each of which is there once. */
export function noteTool(reading: Reading, name: Json | undefined, pattern = functionName): void {
  need(reading, pattern.test(textOf(name)), `tool name ${textOf(name)}`);
  need(reading, !reading.tools.includes(textOf(name)), `tool ${textOf(name)} twice`);
  reading.tools.push(textOf(name));
}

/**
 * A schema of parameters as OpenAI and Anthropic check it: an object, without alternatives at its top, and lists that say
 * what is in them.
 */
export function checkParameters(reading: Reading, schema: Json | undefined, where: string): void {
  if (
    !need(reading, isObject(schema) && schema.type === 'object', `${where}: no object`) ||
    !isObject(schema)
  )
    return;
  for (const name of ['anyOf', 'oneOf', 'allOf', 'enum', 'not'])
    need(reading, schema[name] === undefined, `${where}: ${name} at the top`);
}
