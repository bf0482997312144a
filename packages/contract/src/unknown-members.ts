import { z } from 'zod';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Maximum depth of the check. It exceeds the depth of every call's input. */
const maxDepth = 10;

/** Parses a JSON text; returns other texts trimmed. */
function readText(text: string): unknown {
  const trimmed = text.trim();
  if (!/^[[{]/.test(trimmed)) return trimmed;
  try {
    return JSON.parse(trimmed);
  } catch {
    return trimmed;
  }
}

/** True for values without an effect. Forms of other programs send every field they know. */
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
 * Members of a request body that its schema does not know and that have an effect, as `name` or `name.inner`. A loose
 * object accepts every member.
 */
export function unknownMembers(schema: z.core.$ZodType, value: unknown, place = ''): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return unknownMembers(schema.unwrap(), value, place);
  if (schema instanceof z.ZodPipe) {
    if (!(schema.in instanceof z.ZodTransform)) return unknownMembers(schema.in, value, place);
    // Some bodies are converted first. The check then applies to the members of the result.
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
