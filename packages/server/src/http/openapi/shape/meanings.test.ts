import { describe, expect, it } from 'vitest';
import { writeDocument, relayTags } from '../document.ts';

interface PlacedField {
  where: string;
  name: string;
  schema: { type?: unknown; description?: string | undefined; $ref?: string };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Every field of the console's part of the reference. */
function* fieldsWithin(value: unknown, where: string): Generator<PlacedField> {
  if (!isObject(value)) return;
  if (Array.isArray(value.parameters))
    for (const { name, schema, in: place } of value.parameters as Record<string, unknown>[])
      if (place !== 'header') yield { where, name: String(name), schema: schema as PlacedField['schema'] };
  for (const [key, each] of Object.entries(value)) {
    if (key === 'properties' && isObject(each))
      for (const [name, schema] of Object.entries(each)) {
        if (isObject(schema)) yield { where, name, schema };
        yield* fieldsWithin(schema, where);
      }
    else if (key !== 'examples' && key !== 'example') yield* fieldsWithin(each, where);
  }
}

function fieldsOf(language: 'zh' | 'en'): PlacedField[] {
  const { components, paths } = writeDocument(language, 'test') as unknown as {
    components: { schemas: Record<string, PlacedField['schema']> };
    paths: Record<string, Record<string, { operationId: string; tags: string[] }>>;
  };
  const calls = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .filter(({ tags }) => !Object.hasOwn(relayTags, tags[0] ?? ''));
  const schemas = Object.entries(components.schemas).filter(([name]) => !name.endsWith('Error'));
  /** A field with a named schema has its description there unless it has one of its own. */
  const described = (field: PlacedField): PlacedField => {
    const named = components.schemas[field.schema.$ref?.split('/').at(-1) ?? ''];
    return named ? { ...field, schema: { description: named.description, ...field.schema } } : field;
  };
  return [
    ...schemas.flatMap(([name, schema]) => [...fieldsWithin(schema, name)]),
    ...calls.flatMap((call) => [...fieldsWithin(call, call.operationId)]),
  ].map(described);
}

const isNumber = ({ schema }: PlacedField) => /integer|number/.test(JSON.stringify(schema.type ?? ''));
const named = (fields: readonly PlacedField[]) => [
  ...new Set(fields.map(({ where, name }) => `${where}: ${name}`)),
];

/** Names of numbers that have a unit. */
const measures = /(_time|_at|timestamp|_ms|quota|_ratio|charged)$|^(at|ms|seconds|time|money)$/;

/** Numbers that represent states, with the number of states. */
const states = {
  'UserData: status': 2,
  'TokenData: status': 4,
  'ChannelData: status': 3,
  'RedemptionData: status': 3,
  'UserData: role': 3,
  'organisations-members: role': 3,
  'LogData: type': 8,
};

/** The envelope is the same for all calls: the introduction of the document describes it. */
const isEnvelope = ({ where, name }: PlacedField) =>
  /^[a-z]/.test(where) && /^(success|message|data)$/.test(name);

it.each(['zh', 'en'] as const)('every field of every call is described (%s)', (language) => {
  const fields = fieldsOf(language).filter((field) => !isEnvelope(field));
  expect(new Set(fields.map(({ where, name }) => `${where}: ${name}`)).size).toBeGreaterThan(1000);
  expect(named(fields.filter(({ schema }) => !schema.description))).toEqual([]);
  const isForeign = ({ schema }: PlacedField) =>
    /\p{Script=Han}/u.test(schema.description ?? '') !== (language === 'zh');
  expect(named(fields.filter(isForeign))).toEqual([]);
});

describe.each(['zh', 'en'] as const)('numbers in the reference (%s)', (language) => {
  const numbers = fieldsOf(language).filter(isNumber);

  it('have their unit', () => {
    const measured = numbers.filter(({ name }) => measures.test(name));
    expect(measured.length).toBeGreaterThan(100);
    expect(named(measured.filter(({ schema }) => !schema.description))).toEqual([]);
  });

  it.each(Object.entries(states))('that are states have their values described: %s', (field, count) => {
    const found = numbers.filter(({ where, name }) => `${where}: ${name}` === field);
    expect(found).not.toEqual([]);
    for (const { schema } of found)
      expect(schema.description?.match(/(?<![.\d])\d+ ?[^\d\s,，]/g), schema.description).toHaveLength(count);
  });

  it('that are times are in seconds or milliseconds', () => {
    const moments = numbers.filter(({ name }) => /(_time|_at|timestamp)$|^(at|DeletedAt)$/.test(name));
    const unit = language === 'zh' ? /秒/ : /seconds|milliseconds/i;
    expect(named(moments.filter(({ schema }) => !unit.test(schema.description ?? '')))).toEqual([]);
    const drawn = moments.filter(({ where }) => /Drawing|^drawings/.test(where));
    expect(drawn.length).toBeGreaterThan(5);
    expect(drawn.every(({ schema }) => /毫秒|milliseconds/i.test(schema.description ?? ''))).toBe(true);
  });

  it('that are amounts are in quota units', () => {
    const amounts = numbers.filter(({ name }) => name.endsWith('quota'));
    expect(amounts.length).toBeGreaterThan(30);
    expect(
      named(amounts.filter(({ schema }) => !/额度单位|quota units/i.test(schema.description ?? ''))),
    ).toEqual([]);
  });
});
