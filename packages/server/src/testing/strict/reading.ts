import { isObject, type Json, type JsonObject, objectsIn, textOf } from '../../lib/json.ts';

// A strict reader reproduces the vendor's own validation of a request, based on its documentation and error answers. It
// records the violations (`faults`) and the model's input.

/** A call of the conversation with its arguments as JSON text, and its results. */
export interface ToldCall {
  id: string;
  name: string;
  input: string;
  /** Texts of its results. */
  words: string[];
}

export interface Reading {
  faults: string[];
  /** Texts by role. Texts of tools are in their calls. */
  said: Record<'system' | 'user' | 'assistant', string[]>;
  calls: ToldCall[];
  /** Data or addresses of all images and documents. */
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

/** Records a fault if a condition is false; returns the condition. */
export function need(reading: Reading, condition: boolean, fault: string): boolean {
  if (!condition) reading.faults.push(fault);
  return condition;
}

/** All of these vendors reject unknown fields. */
export function onlyKnown(reading: Reading, object: JsonObject, known: string, where: string): void {
  const names = new Set(known.split(' '));
  for (const name of Object.keys(object)) need(reading, names.has(name), `${where}: unknown field ${name}`);
}

/** A non-empty list of objects. */
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

/** An address or data in OpenAI's `image_url` and `file_data`. */
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

/** Records a tool; its name must be valid and unique. */
export function noteTool(reading: Reading, name: Json | undefined, pattern = functionName): void {
  need(reading, pattern.test(textOf(name)), `tool name ${textOf(name)}`);
  need(reading, !reading.tools.includes(textOf(name)), `tool ${textOf(name)} twice`);
  reading.tools.push(textOf(name));
}

/**
 * Checks a parameter schema by the rules of OpenAI and Anthropic: an object, without alternatives at the top level, and
 * with an item type for each list.
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
