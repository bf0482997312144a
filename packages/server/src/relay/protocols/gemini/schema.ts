import { cannotTranslate } from '../../conversation/index.ts';
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
/** So often a definition is written out within itself. */
const maxWithin = 3;

/**
 * Objects that the references in the schemas of a request may write out together. A few definitions that refer to each other
 * several times each come to more than any memory holds.
 */
export class ReferenceRoom {
  private left = 50_000;

  /** Throws RelayError (400, `cannot_translate`) where there is none left. */
  take(): void {
    this.left -= 1;
    if (this.left < 0) throw cannotTranslate('$ref', 'gemini');
  }
}

/** A JSON Schema as Gemini's: references written out, what it refuses left out. */
export function cleanSchema(schema: JsonObject, room = new ReferenceRoom()): JsonObject {
  const definitions = isObject(schema.$defs) ? schema.$defs : schema.definitions;
  return new SchemaCleaner(isObject(definitions) ? definitions : {}, room).clean(schema, 0);
}

class SchemaCleaner {
  private readonly definitions: JsonObject;
  private readonly room: ReferenceRoom;
  /** Definitions that are being written out, and how often within themselves. */
  private readonly open = new Map<string, number>();

  constructor(definitions: JsonObject, room: ReferenceRoom) {
    this.definitions = definitions;
    this.room = room;
  }

  clean(schema: JsonObject, depth: number): JsonObject {
    if (this.open.size > 0) this.room.take();
    if (depth > maxDepth) return {};
    const next = (value: Json): Json => (isObject(value) ? this.clean(value, depth + 1) : value);
    if (typeof schema.$ref === 'string') return this.resolve(schema.$ref, depth);
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

  private resolve(reference: string, depth: number): JsonObject {
    const name = reference.split('/').at(-1) ?? '';
    const definition = Object.hasOwn(this.definitions, name) ? this.definitions[name] : undefined;
    const within = this.open.get(name) ?? 0;
    if (!isObject(definition) || within >= maxWithin) return {};
    this.open.set(name, within + 1);
    const written = this.clean(definition, depth + 1);
    if (within === 0) this.open.delete(name);
    else this.open.set(name, within);
    return written;
  }
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
