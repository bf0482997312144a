import type { JsonSchema } from './schemas.ts';

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A number within the bounds: 1 if possible. */
function exampleNumber({ type, minimum, maximum, exclusiveMinimum }: JsonSchema): number {
  const least = typeof minimum === 'number' ? minimum : -Infinity;
  const most = typeof maximum === 'number' ? maximum : Infinity;
  const above = typeof exclusiveMinimum === 'number' ? exclusiveMinimum : -Infinity;
  const step = [type].flat().includes('integer') ? 1 : 0.5;
  return Math.min(Math.max(1, least, above + step), most);
}

/**
 * Derives a value from a schema: its examples and constants, otherwise the simplest value of its type. Lists have one
 * item, and every member of the schema is present. `components` are the referenced schemas.
 */
export function deriveExample(schema: JsonSchema, components: Readonly<Record<string, JsonSchema>>): unknown {
  const derive = (each: unknown): unknown => deriveExample(isSchema(each) ? each : {}, components);
  const { $ref, examples, anyOf, oneOf, allOf, properties, items, prefixItems, additionalProperties } =
    schema;
  if (Array.isArray(examples)) return examples[0];
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (typeof $ref === 'string') return derive(components[$ref.split('/').at(-1) ?? '']);
  const choice = [anyOf, oneOf, allOf]
    .find(Array.isArray)
    ?.find((each) => isSchema(each) && each.type !== 'null');
  if (choice !== undefined) return derive(choice);
  const type: unknown = [schema.type].flat()[0];
  if (type === 'array') return Array.isArray(prefixItems) ? prefixItems.map(derive) : [derive(items)];
  if (type === 'object') {
    const named = Object.entries(isSchema(properties) ? properties : {});
    // A record: any name has a value of its schema.
    const record =
      named.length === 0 && isSchema(additionalProperties) && Object.keys(additionalProperties).length > 0;
    if (record)
      return Object.fromEntries(recordNames(schema).map((name) => [name, derive(additionalProperties)]));
    return Object.fromEntries(named.map(([name, each]) => [name, derive(each)]));
  }
  if (type === 'integer' || type === 'number') return exampleNumber(schema);
  if (type === 'boolean') return 'default' in schema ? schema.default : true;
  return type === 'string' ? exampleText(schema) : null;
}

/** Names of a record's members: the required ones, otherwise one optional. */
function recordNames({ required, propertyNames }: JsonSchema): string[] {
  if (Array.isArray(required)) return required.map(String);
  const names = isSchema(propertyNames) && Array.isArray(propertyNames.enum) ? propertyNames.enum : ['name'];
  return [String(names[0])];
}

function exampleText({ format, minLength }: JsonSchema): string {
  if (format === 'date') return '2026-01-31';
  return typeof minLength === 'number' && minLength > 0 ? 'text' : '';
}
