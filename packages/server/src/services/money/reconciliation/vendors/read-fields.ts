import { malformed } from './fault.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** An object's fields; throws for other values. */
export function requireFields(value: unknown, what: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw malformed(`${what} is no object`);
  return value as Fields;
}

export function requireList(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw malformed(`${what} is no list`);
  return value;
}

/** A count; undefined if it is absent, which differs from zero. */
export function requireCount(fields: Fields, name: string): number | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw malformed(`"${name}" is no count`);
  return value;
}

/** The sum of the present values; undefined for none. */
export function sumOf(...counts: (number | undefined)[]): number | undefined {
  const known = counts.filter((count) => count !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, count) => sum + count, 0);
}

/** The name of a model; '' for none. */
export const nameOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 255) : '');
