import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { consoleApis, type Route } from '../index.ts';

/** JSON values that are not numbers but that JavaScript can convert to one. */
const notNumbers = [true, false, null, [], [7], '', ' ', '0x10', '1e3'];

/** All schemas inside a schema, starting with the schema itself. */
function partsOf(schema: unknown, seen = new Set<unknown>()): z.ZodType[] {
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return [];
  seen.add(schema);
  const inner = schema instanceof z.ZodType ? Object.values(schema.def) : Object.values(schema);
  return [...(schema instanceof z.ZodType ? [schema] : []), ...inner.flatMap((each) => partsOf(each, seen))];
}

const fieldsOf = (schema: z.ZodType): Record<string, z.ZodType> => {
  if (schema instanceof z.ZodObject) return schema.shape;
  return schema instanceof z.ZodPipe ? fieldsOf(schema.out as z.ZodType) : {};
};

/** True if the field converts a value that is not a number into a number other than its default. */
const invents = (field: z.ZodType, value: unknown): boolean => {
  const { data } = field.safeParse(value);
  return typeof data === 'number' && data !== field.safeParse(undefined).data;
};

const bodies: [name: string, input: z.ZodType][] = consoleApis
  .flatMap(({ calls }) => Object.values(calls as Record<string, Route>))
  .filter(({ method }) => method === 'POST' || method === 'PUT')
  .map(({ method, path, input }) => [`${method} ${path}`, input]);

describe('numbers in the body of a call', () => {
  it.each(bodies)('are never converted from another type: %s', (_name, input) => {
    const coerced = partsOf(input).filter(({ def }) => 'coerce' in def && def.coerce === true);
    expect(coerced.map(({ def }) => def.type)).toEqual([]);
    const invented = Object.entries(fieldsOf(input)).flatMap(([name, field]) =>
      notNumbers.filter((value) => invents(field, value)).map((value) => [name, value]),
    );
    expect(invented).toEqual([]);
  });
});
