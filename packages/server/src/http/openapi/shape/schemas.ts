import * as contract from '@tollgate/contract';
import { decimalPattern, type Language, wholePattern } from '@tollgate/contract';
import { z } from 'zod';

/** A JSON Schema in the dialect of OpenAPI 3.1: draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Schemas that the contract exports by a name are written once and referenced by it. */
const names = z.registry<{ id: string }>();
for (const [name, value] of Object.entries<unknown>(contract)) {
  if (value instanceof z.ZodObject) names.add(value, { id: name[0]!.toUpperCase() + name.slice(1) });
}

/** Inputs are written inline. */
const noNames = z.registry<{ id: string }>();

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Bounds that only state JavaScript's range of numbers are omitted. */
function withoutIdleBounds(schema: Record<string, unknown>): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

/** A number that may also be a text of digits: its bounds are declared after a pipe, and the input has none. */
function writeWhole(zodSchema: z.core.$ZodType, schema: Record<string, unknown>): void {
  if (!(zodSchema instanceof z.ZodPipe) || !(zodSchema.out instanceof z.ZodNumber)) return;
  const { $schema: _, type, ...bounds } = z.toJSONSchema(zodSchema.out);
  delete schema.anyOf;
  Object.assign(schema, {
    type: [type, 'string'],
    pattern: (type === 'integer' ? wholePattern : decimalPattern).source,
    ...bounds,
  });
}

/** Adds a field's `.meta`: its meaning in one language, and an example. */
function describe(zodSchema: z.core.$ZodType, schema: Record<string, unknown>, language: Language): void {
  const meta = z.globalRegistry.get(zodSchema);
  if (meta?.[language] !== undefined) schema.description = meta[language];
  if (meta?.example !== undefined) schema.examples = [meta.example];
}

/** References to definitions within a schema become references to the components of the document. */
function toComponents(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toComponents);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) =>
      key === '$ref' && typeof each === 'string'
        ? [key, each.replace('#/$defs/', '#/components/schemas/')]
        : [key, toComponents(each)],
    ),
  );
}

/** Writes the contract's schemas as JSON Schema and keeps those that have a name. */
export class SchemaWriter {
  /** Named schemas that were written, for the document's components. */
  readonly components: Record<string, JsonSchema> = {};
  private readonly language: Language;

  /** `language` of the fields' meanings. */
  constructor(language: Language) {
    this.language = language;
  }

  /** Schema of the answer. */
  output(schema: z.ZodType): JsonSchema {
    const { $schema: _dialect, $defs, ...rest } = this.write(schema, 'output');
    for (const [name, each] of Object.entries(isObject($defs) ? $defs : {}))
      this.components[name] = toComponents(each) as JsonSchema;
    return toComponents(rest) as JsonSchema;
  }

  /** Schema of the input: the object of its fields. */
  input(schema: z.ZodType): { properties: Record<string, JsonSchema>; required: readonly string[] } {
    const { properties, required } = this.write(schema, 'input');
    return {
      properties: (isObject(properties) ? properties : {}) as Record<string, JsonSchema>,
      required: Array.isArray(required) ? required.map(String) : [],
    };
  }

  private write(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
    const { language } = this;
    return z.toJSONSchema(schema, {
      io,
      target: 'draft-2020-12',
      unrepresentable: 'any',
      metadata: io === 'output' ? names : noNames,
      override({ zodSchema, jsonSchema }) {
        if (io === 'input') writeWhole(zodSchema, jsonSchema);
        withoutIdleBounds(jsonSchema);
        delete jsonSchema.id;
        describe(zodSchema, jsonSchema, language);
      },
    }) as Record<string, unknown>;
  }
}
