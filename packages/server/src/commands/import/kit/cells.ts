import { isObject, type JsonObject, parseObject } from '../../../lib/json.ts';
import type { ForeignRow } from '../../../store/index.ts';

/** Reads the cells of another program's rows: columns that are missing there, and nulls, are empty. */
export interface Cells {
  /** `char` columns are padded on PostgreSQL: trailing blanks are removed. */
  text(column: string): string;
  /** A whole number. Throws for any other value, or beyond 2^53: money is never rounded. */
  whole(column: string): number;
  real(column: string): number;
  /** Booleans are numbers on some databases. */
  flag(column: string): boolean;
  /** A JSON object, or an empty one. */
  json(column: string): JsonObject;
  /** The texts of a list, which is an array of the database or JSON. */
  list(column: string): string[];
  /** Unix seconds of a column with a date, as GORM writes it; null for none. */
  date(column: string): number | null;
  has(column: string): boolean;
}

/** True values of drivers and text columns. */
const truths: readonly unknown[] = [1, true, '1', 'true', 't'];

export const readCells = (row: ForeignRow, table: string): Cells => ({
  text: (column) => textOf(row[column]).trimEnd(),
  whole(column) {
    const value = row[column];
    if (value === null || value === undefined || value === '') return 0;
    const number = Number(value);
    if (!Number.isSafeInteger(number))
      throw new Error(`${table}.${column} of row ${textOf(row['id'])} is not a whole number below 2^53`);
    return number;
  },
  real: (column) => (Number.isFinite(Number(row[column])) ? Number(row[column]) : 0),
  flag: (column) => truths.includes(row[column]),
  json: (column) => parseObject(textOf(row[column])) ?? {},
  list: (column) => listOf(row[column]),
  date: (column) => dateOf(row[column]),
  has: (column) => row[column] !== null && row[column] !== undefined,
});

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (value instanceof Date) return value.toISOString();
  // Drivers parse columns of the type JSON.
  return isObject(value) || Array.isArray(value) ? JSON.stringify(value) : '';
}

function listOf(value: unknown): string[] {
  if (typeof value !== 'string') return Array.isArray(value) ? value.map(textOf) : [];
  try {
    const list: unknown = JSON.parse(value);
    return Array.isArray(list) ? list.map(textOf) : [];
  } catch {
    return [];
  }
}

function dateOf(value: unknown): number | null {
  if (value === null || value === undefined || value === '' || value === 0) return null;
  const date =
    value instanceof Date ? value : new Date(textOf(value).trim().replace(' ', 'T').replace(' ', ''));
  // An unreadable date still means that the row has one.
  return Number.isNaN(date.getTime()) ? 1 : Math.floor(date.getTime() / 1000);
}
