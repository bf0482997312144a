import { fieldMeaning, type Language } from '@tollgate/contract';

type Schema = Record<string, unknown>;

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether values of a schema are numbers (also as digits), or texts; undefined for anything else. */
function kindOf(schema: Schema): 'number' | 'text' | undefined {
  const choices = [schema.anyOf, schema.oneOf].find(Array.isArray) as Schema[] | undefined;
  const types = [schema.type, ...(choices ?? []).map(({ type }) => type)].flat();
  if (types.includes('integer') || types.includes('number')) return 'number';
  return types.includes('string') ? 'text' : undefined;
}

/** A field with what it means. */
export function withMeaning(owner: string, name: string, schema: Schema, language: Language): Schema {
  const kind = kindOf(schema);
  const meaning = fieldMeaning(owner, name, kind);
  return meaning ? { ...schema, description: meaning[language] } : schema;
}

/** A schema, all fields of which say what they mean. */
export function withMeanings(owner: string, value: unknown, language: Language): unknown {
  if (Array.isArray(value)) return value.map((each) => withMeanings(owner, each, language));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, each]): [string, unknown] => {
    if (key !== 'properties' || !isObject(each)) return [key, withMeanings(owner, each, language)];
    const fields = Object.entries(each).map(([name, field]): [string, unknown] => {
      const inner = withMeanings(owner, field, language);
      return [name, isObject(inner) ? withMeaning(owner, name, inner, language) : inner];
    });
    return [key, Object.fromEntries(fields)];
  });
  return Object.fromEntries(entries);
}
