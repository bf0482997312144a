/** The used part of a JSON Schema. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  title?: string;
  description?: string;
  default?: unknown;
  const?: unknown;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  additionalProperties?: boolean | Schema;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
}

/** A field of a body or an answer. */
export interface Field {
  name: string;
  type: string;
  meaning: string;
  required: boolean;
  /** As JSON; undefined for none. */
  byDefault?: string | undefined;
  /** Where a parameter is sent. */
  place?: 'path' | 'query' | 'header';
}

const nameOf = (ref: string): string => ref.split('/').at(-1) ?? '';

/** Types of a value, in the words of JSON Schema: `integer | string`, `list of TokenData`. */
function typeText(schema: Schema): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map(typeText))].join(' | ');
  if (schema.items && schema.type === 'array') return `${typeText(schema.items)}[]`;
  return [schema.type ?? 'any'].flat().join(' | ');
}

/** A number's bounds, or a text's length limits; '' for neither. */
function boundsText({ minimum, maximum, maxLength }: Schema): string {
  if (maxLength !== undefined) return `≤ ${maxLength}`;
  if (minimum !== undefined && maximum !== undefined) return `${minimum} … ${maximum}`;
  if (minimum !== undefined) return `≥ ${minimum}`;
  return maximum === undefined ? '' : `≤ ${maximum}`;
}

/** One field on the page. */
export function fieldOf(name: string, schema: Schema, required: boolean): Field {
  const words = [schema.title, schema.description, boundsText(schema)];
  return {
    name,
    type: typeText(schema),
    meaning: words.filter(Boolean).join(' · '),
    required,
    byDefault:
      schema.default === undefined || schema.default === '' ? undefined : JSON.stringify(schema.default),
  };
}

/** The fields of an object, or of the objects of a list; empty for other schemas. */
export function fieldsOf(schema: Schema | undefined, resolve: (schema: Schema) => Schema): Field[] {
  if (!schema) return [];
  const plain = resolve(schema);
  const object = plain.items ? resolve(plain.items) : plain;
  return Object.entries(object.properties ?? {}).map(([name, each]) =>
    fieldOf(name, each, object.required?.includes(name) ?? false),
  );
}
