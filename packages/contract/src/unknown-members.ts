import { z } from 'zod';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Deeper than any input of a call. */
const maxDepth = 10;

/** A JSON text as its value; any other text is itself. */
function readText(text: string): unknown {
  const trimmed = text.trim();
  if (!/^[[{]/.test(trimmed)) return trimmed;
  try {
    return JSON.parse(trimmed);
  } catch {
    return trimmed;
  }
}

/** True for values that ask for nothing: forms of other programs send every field they know. */
function isNothing(value: unknown, depth = 0): boolean {
  if (value === undefined || value === null || value === false || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  if (depth > maxDepth) return false;
  if (isObject(value)) return Object.values(value).every((each) => isNothing(each, depth + 1));
  if (typeof value !== 'string') return false;
  const read = readText(value);
  return read !== value && isNothing(read, depth + 1);
}

/**
 * The members of a request body that its schema does not know and that ask for something, as `name` or `name.inner`. A
 * loose object knows every member.
 */
export function unknownMembers(schema: z.core.$ZodType, value: unknown, place = ''): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return unknownMembers(schema.unwrap(), value, place);
  if (schema instanceof z.ZodPipe) {
    if (!(schema.in instanceof z.ZodTransform)) return unknownMembers(schema.in, value, place);
    // A body that is put into another form first: its members are those of that form.
    const read = z.safeParse(schema.in, value);
    return read.success ? unknownMembers(schema.out, read.data, place) : [];
  }
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return [...new Set(value.flatMap((each) => unknownMembers(schema.element, each, place)))];
  if (schema instanceof z.ZodRecord && isObject(value))
    return Object.values(value).flatMap((each) => unknownMembers(schema.valueType, each, place));
  if (!(schema instanceof z.ZodObject) || !isObject(value) || schema.def.catchall !== undefined) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const at = place === '' ? name : `${place}.${name}`;
    const known = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
    if (known !== undefined) return unknownMembers(known, member, at);
    return isNothing(member) ? [] : [at];
  });
}
