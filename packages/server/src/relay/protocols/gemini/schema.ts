import { isObject, type Json, type JsonObject } from '../../../lib/json.ts';

/** Keys of JSON Schema that Gemini's own schema refuses (docs/compatibility.md#conversions). */
const refused = new Set([
  'default',
  'exclusiveMaximum',
  'exclusiveMinimum',
  '$schema',
  '$id',
  '$comment',
  'additionalProperties',
  'patternProperties',
  'unevaluatedProperties',
  'strict',
]);
/** Formats of texts that it takes. */
const formats = new Set(['enum', 'date-time']);
/** A schema that refers to itself cannot be written out; it ends here. */
const maxDepth = 24;

/** A JSON Schema as Gemini's: references written out, what it refuses left out. */
export function cleanSchema(schema: JsonObject): JsonObject {
  const definitions = isObject(schema.$defs) ? schema.$defs : schema.definitions;
  return clean(schema, isObject(definitions) ? definitions : {}, 0);
}

function clean(schema: JsonObject, definitions: JsonObject, depth: number): JsonObject {
  if (depth > maxDepth) return {};
  const next = (value: Json): Json => (isObject(value) ? clean(value, definitions, depth + 1) : value);
  if (typeof schema.$ref === 'string') return resolve(schema.$ref, definitions, depth);
  const cleaned: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (value === undefined || refused.has(key) || key === '$defs' || key === 'definitions') continue;
    if (key === 'properties' && isObject(value)) cleaned.properties = mapValues(value, next);
    else if (key === 'allOf' && Array.isArray(value)) Object.assign(cleaned, ...value.map(next));
    else if (key === 'oneOf' && Array.isArray(value)) cleaned.anyOf = value.map(next);
    else if (key === 'const') cleaned.enum = [value];
    else if (key === 'type' && Array.isArray(value)) Object.assign(cleaned, typeOf(value));
    else if (key === 'format' && !keepsFormat(schema, value)) continue;
    else cleaned[key] = Array.isArray(value) ? value.map(next) : next(value);
  }
  return cleaned;
}

function resolve(reference: string, definitions: JsonObject, depth: number): JsonObject {
  const definition = definitions[reference.split('/').at(-1) ?? ''];
  return isObject(definition) ? clean(definition, definitions, depth + 1) : {};
}

const keepsFormat = (schema: JsonObject, format: Json): boolean =>
  schema.type !== 'string' || (typeof format === 'string' && formats.has(format));

/** A list of types: one of them, and perhaps nothing. */
function typeOf(types: readonly Json[]): JsonObject {
  const named = types.filter((type) => type !== 'null');
  const nullable = named.length < types.length ? { nullable: true } : {};
  if (named.length === 1) return { type: named[0], ...nullable };
  return { anyOf: named.map((type) => ({ type })), ...nullable };
}

function mapValues(object: JsonObject, change: (value: Json) => Json): JsonObject {
  const changed = Object.entries(object).map(([key, value]) => [key, change(value ?? null)] as const);
  return Object.fromEntries(changed);
}

/** Gemini's schema as JSON Schema: its types are in capitals, its numbers texts, and it has a word of its own for null. */
export function readSchema(schema: JsonObject): JsonObject {
  const read: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (value === undefined || key === 'propertyOrdering' || key === 'nullable') continue;
    if (key === 'type' && typeof value === 'string') read.type = readType(value, schema.nullable === true);
    else if (key === 'properties' && isObject(value)) read.properties = mapValues(value, readInner);
    else if (/^(min|max)(Items|Length|Properties)$/.test(key)) read[key] = Number(value);
    else read[key] = Array.isArray(value) ? value.map(readInner) : readInner(value);
  }
  return read;
}

const readInner = (value: Json): Json => (isObject(value) ? readSchema(value) : value);

function readType(type: string, nullable: boolean): Json {
  const lower = type.toLowerCase();
  return nullable ? [lower, 'null'] : lower;
}
