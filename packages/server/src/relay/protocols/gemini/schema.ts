import { cannotTranslate } from '../../conversation/index.ts';
import { isNumber } from '../../../lib/exact-numbers.ts';
import { isObject, type Json, type JsonObject, objectOf, objectsIn, textOf } from '../../../lib/json.ts';

/**
 * Fields of Gemini's own schema that are copied, by the type of their value. All other keywords are omitted, because
 * its API refuses a call with an unknown field (ai.google.dev/api/caching#Schema); fields with sub-schemas are below.
 */
const copied: Readonly<Record<string, 'string' | 'number'>> = {
  title: 'string',
  description: 'string',
  pattern: 'string',
  minimum: 'number',
  maximum: 'number',
  minLength: 'number',
  maxLength: 'number',
  minItems: 'number',
  maxItems: 'number',
  minProperties: 'number',
  maxProperties: 'number',
};
/** Accepted formats, by the type. */
const formats: Readonly<Record<string, readonly string[]>> = {
  string: ['date-time'],
  number: ['float', 'double'],
  integer: ['int32', 'int64'],
};
/** The depth at which a schema that refers to itself is cut, because it cannot be written completely. */
const maxDepth = 24;
/** The most repetitions of a definition within itself. */
const maxWithin = 3;

/**
 * The number of objects that the references and the alternatives in the schemas of a request may produce together. A
 * few of either within each other, each several times, exceed all memory.
 */
export class ReferenceRoom {
  private left = 50_000;

  /** Throws RelayError (400, `cannot_translate`) if there is no room left. */
  take(): void {
    this.left -= 1;
    if (this.left < 0) throw cannotTranslate('$ref or anyOf within itself', 'gemini');
  }
}

/**
 * A JSON Schema as Gemini's: references are replaced by their definitions, and only Gemini's fields are kept. Throws
 * RelayError (400, `cannot_translate`) for a reference without a target.
 */
export const cleanSchema = (schema: JsonObject, room = new ReferenceRoom()): JsonObject =>
  new SchemaCleaner(schema, room).clean(schema, 0);

/**
 * The parameters of a function. They must be an object, so its alternatives become one object with all their members.
 */
export function cleanParameters(schema: JsonObject, room: ReferenceRoom): JsonObject | undefined {
  const cleaned = cleanSchema({ type: 'object', ...schema }, room);
  const branches = Array.isArray(cleaned.anyOf) ? objectsIn(cleaned.anyOf) : [cleaned];
  // An object without properties is refused; a function without parameters is not.
  const objects = branches.filter(({ type, properties }) => type === 'object' && isObject(properties));
  return objects.length > 0 ? merged(objects) : undefined;
}

class SchemaCleaner {
  private readonly root: JsonObject;
  private readonly room: ReferenceRoom;
  /** Definitions that are being written, and how often each is within itself. */
  private readonly open = new Map<string, number>();
  /** Above 0 inside definitions that may be repeated, which uses room. */
  private copies = 0;

  constructor(root: JsonObject, room: ReferenceRoom) {
    this.root = root;
    this.room = room;
  }

  clean(schema: JsonObject, depth: number): JsonObject {
    if (this.copies > 0) this.room.take();
    if (depth > maxDepth) return anything();
    if (typeof schema.$ref === 'string') return this.resolve(schema.$ref, schema, depth);
    const all = objectsIn(schema.allOf);
    if (all.length > 0) {
      const { allOf: _, ...rest } = schema;
      const whole = () => joined([rest, ...all.map((each) => this.dereferenced(each))]);
      return this.opened(referencesIn(all), () => this.clean(whole(), depth + 1));
    }
    const branches = [...objectsIn(schema.anyOf), ...objectsIn(schema.oneOf)];
    if (branches.length > 0) return this.alternatives(schema, branches, depth);
    if (Array.isArray(schema.type) && schema.type.some((type) => type !== 'null')) {
      const types = schema.type.map((type) => ({ type }));
      return this.alternatives(schema, types, depth);
    }
    return this.plain(schema, depth);
  }

  /** A schema of one type. */
  private plain(schema: JsonObject, depth: number): JsonObject {
    const type = typeOf(schema);
    if (type === undefined) return anything(schema);
    const cleaned: JsonObject = { type, ...copy(schema), ...valuesOf(schema, type) };
    if (schema.nullable === true) cleaned.nullable = true;
    const format = textOf(schema.format);
    if (formats[type]?.includes(format)) cleaned.format = format;
    if (type === 'array') cleaned.items = this.items(schema, depth);
    if (type === 'object') Object.assign(cleaned, this.members(schema, depth));
    return cleaned;
  }

  private members(schema: JsonObject, depth: number): JsonObject {
    const entries = Object.entries(objectOf(schema.properties)).map(
      ([name, value]) => [name, this.inner(value, depth)] as const,
    );
    if (entries.length === 0) return {};
    const names = new Set(entries.map(([name]) => name));
    const required = Array.isArray(schema.required)
      ? schema.required.filter((name) => typeof name === 'string' && names.has(name))
      : [];
    return { properties: Object.fromEntries(entries), ...(required.length > 0 && { required }) };
  }

  /** The schema of the items; a tuple becomes any of its items. */
  private items({ items, prefixItems }: JsonObject, depth: number): JsonObject {
    const places = objectsIn(prefixItems ?? items);
    if (places.length > 0) return this.clean({ anyOf: places }, depth + 1);
    return this.inner(items, depth);
  }

  private inner(value: Json | undefined, depth: number): JsonObject {
    return isObject(value) ? this.clean(value, depth + 1) : anything();
  }

  /** `anyOf` must be the only member, so its siblings are copied into each branch. */
  private alternatives(schema: JsonObject, branches: readonly JsonObject[], depth: number): JsonObject {
    const { anyOf: _any, oneOf: _one, type, ...rest } = schema;
    const { description, title, ...base } =
      Array.isArray(type) || type === undefined ? rest : { ...rest, type };
    const isNullable = branches.some((branch) => branch.type === 'null') || schema.nullable === true;
    const cleaned = branches
      .filter((branch) => branch.type !== 'null')
      .map((branch) =>
        this.opened(referencesIn([branch]), () =>
          this.clean(joined([base, this.dereferenced(branch)]), depth + 1),
        ),
      )
      .flatMap((branch) => (Array.isArray(branch.anyOf) ? objectsIn(branch.anyOf) : [branch]))
      .map((branch) => ({
        ...branch,
        ...(description !== undefined && { description: branch.description ?? description }),
        ...(title !== undefined && { title: branch.title ?? title }),
        ...(isNullable && { nullable: true }),
      }));
    if (cleaned.length === 0) return { type: 'null', ...copy(schema) };
    return cleaned.length === 1 ? cleaned[0]! : { anyOf: cleaned };
  }

  private dereferenced(schema: JsonObject): JsonObject {
    if (typeof schema.$ref !== 'string') return schema;
    const { $ref, ...rest } = schema;
    return joined([this.definition($ref), rest]);
  }

  private resolve(reference: string, schema: JsonObject, depth: number): JsonObject {
    const { $ref: _, ...beside } = schema;
    const definition = this.definition(reference);
    return this.opened([reference], () => this.clean(joined([definition, beside]), depth + 1));
  }

  /** Result of `write` with the definitions of `references` open; any value if one is nested too often. */
  private opened(references: readonly string[], write: () => JsonObject): JsonObject {
    const within = (reference: string): number => this.open.get(reference) ?? 0;
    if (references.some((each) => within(each) >= maxWithin)) return anything();
    for (const each of references) this.open.set(each, within(each) + 1);
    this.copies += 1;
    const written = write();
    this.copies -= 1;
    for (const each of references) this.open.set(each, within(each) - 1);
    return written;
  }

  /** The target of a reference within the schema (RFC 6901). */
  private definition(reference: string): JsonObject {
    const steps = reference.startsWith('#') ? reference.slice(1).split('/').slice(1) : [''];
    let found: Json | undefined = this.root;
    for (const step of steps) {
      const name = unescaped(step);
      if (Array.isArray(found)) found = found[Number(name)];
      else found = isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
    }
    if (found === true) return {};
    return isObject(found) ? found : noDefinition(reference);
  }
}

const referencesIn = (schemas: readonly JsonObject[]): string[] =>
  schemas.flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : []));

function noDefinition(reference: string): never {
  throw cannotTranslate(`$ref ${reference.slice(0, 60)}`, 'gemini');
}

function unescaped(step: string): string {
  const plain = step.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

/** Gemini requires a type everywhere; any value is one of these types. */
const anything = ({ title, description }: JsonObject = {}): JsonObject => ({
  anyOf: ['string', 'number', 'boolean'].map((type) => ({ type, ...copy({ title, description }) })),
});

const copy = (schema: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(schema).filter(
      ([name, value]) =>
        Object.hasOwn(copied, name) && (isNumber(value) ? 'number' : typeof value) === copied[name],
    ),
  );

const types = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']);

/** The type in the schema, or the type that its other keywords belong to. */
function typeOf({ type, ...schema }: JsonObject): string | undefined {
  const [named] = Array.isArray(type) ? type : [type];
  if (typeof named === 'string' && types.has(named)) return named;
  if (isObject(schema.properties)) return 'object';
  if (schema.items !== undefined || schema.prefixItems !== undefined) return 'array';
  const [first] = [...listed(schema), null];
  if (typeof first === 'string' || typeof first === 'boolean') return typeof first;
  if (isNumber(first)) return Number.isInteger(Number(JSON.stringify(first))) ? 'integer' : 'number';
  if (schema.pattern !== undefined || schema.minLength !== undefined || schema.maxLength !== undefined)
    return 'string';
  return schema.minimum !== undefined || schema.maximum !== undefined ? 'number' : undefined;
}

/** The allowed values, without null. */
const listed = (schema: JsonObject): Json[] =>
  [
    ...(Array.isArray(schema.enum) ? schema.enum : []),
    ...(schema.const === undefined ? [] : [schema.const]),
  ].filter((value) => value !== null);

/** Values in Gemini's form: texts in `enum`, a single number as its bounds, all others in words. */
function valuesOf(schema: JsonObject, type: string): JsonObject {
  const values = listed(schema);
  if (values.length === 0) return {};
  const nullable = [schema.const, ...(Array.isArray(schema.enum) ? schema.enum : [])].includes(null)
    ? { nullable: true }
    : {};
  if (type === 'string' && values.every((value) => typeof value === 'string' && value !== ''))
    return { enum: [...new Set(values)], ...nullable };
  const [only] = values;
  if (values.length === 1 && only !== undefined && isNumber(only))
    return { minimum: only, maximum: only, ...nullable };
  const words = `One of: ${values.map((value) => JSON.stringify(value)).join(', ')}`;
  return { description: [textOf(schema.description), words].filter(Boolean).join('\n'), ...nullable };
}

/** A schema with the requirements of all of them. */
function joined(schemas: readonly JsonObject[]): JsonObject {
  const all = new Map<string, Json | undefined>();
  const properties = new Map<string, Json | undefined>();
  const required = new Set<Json>();
  for (const schema of schemas)
    for (const [key, value] of Object.entries(schema)) {
      const before = all.get(key);
      all.set(key, value);
      if (key === 'properties' && isObject(value)) {
        if (!isObject(before)) properties.clear();
        for (const [name, each] of Object.entries(value)) properties.set(name, each);
      } else if (key === 'required' && Array.isArray(value)) {
        if (!Array.isArray(before)) required.clear();
        for (const name of value) required.add(name);
      }
    }
  if (isObject(all.get('properties'))) all.set('properties', Object.fromEntries(properties));
  if (Array.isArray(all.get('required'))) all.set('required', [...required]);
  return Object.fromEntries(all);
}

/** Merges alternatives of an object: all members; the members that every alternative requires are required. */
function merged(branches: readonly JsonObject[]): JsonObject {
  const { required: _, ...all } = joined(branches);
  const [first, ...others] = branches.map(({ required }) => (Array.isArray(required) ? required : []));
  const ofOthers = others.map((names) => new Set(names));
  const required = (first ?? []).filter((name) => ofOthers.every((names) => names.has(name)));
  return { ...all, ...(required.length > 0 && { required }) };
}

/**
 * Gemini's schema as JSON Schema: its types are in capitals, its numbers are texts, and it has its own field for null.
 */
export function readSchema(schema: JsonObject): JsonObject {
  const read: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (value === undefined || key === 'propertyOrdering' || key === 'nullable') continue;
    if (key === 'type' && typeof value === 'string') read.type = readType(value, schema.nullable === true);
    else if (key === 'properties' && isObject(value))
      read.properties = Object.fromEntries(
        Object.entries(value).map(([name, each]) => [name, readInner(each ?? {})]),
      );
    else if (/^(min|max)(Items|Length|Properties)$/.test(key))
      read[key] = isNumber(value) ? value : Number(value);
    else read[key] = Array.isArray(value) ? value.map(readInner) : readInner(value);
  }
  return read;
}

const readInner = (value: Json): Json => (isObject(value) && !isNumber(value) ? readSchema(value) : value);

function readType(type: string, nullable: boolean): Json {
  const lower = type.toLowerCase();
  return nullable ? [lower, 'null'] : lower;
}
