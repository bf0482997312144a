import { sql } from 'kysely';
import type { Expression, RawBuilder } from 'kysely';

/** Reads a property of a thrown value of any type. */
export function errorField(error: unknown, field: string): unknown {
  return typeof error === 'object' && error !== null ? (error as Record<string, unknown>)[field] : undefined;
}

/** Node's error codes for a socket that broke or could not be opened. */
const socketCodes = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

export function isSocketError(error: unknown): boolean {
  const code = errorField(error, 'code');
  return typeof code === 'string' && socketCodes.has(code);
}

const bucketSeconds = { hour: 3600, day: 86_400, week: 604_800 } as const;
/** The epoch was a Thursday: weeks that start on Monday are four days ahead of it. */
const MONDAY = 4 * 86_400;

/** See DialectHelpers.timeBucket: `x - x % n` with literal integers means the same everywhere. */
export function timeBucket(
  column: Expression<number>,
  unit: keyof typeof bucketSeconds,
  offsetSeconds = 0,
): RawBuilder<number> {
  const size = sql.lit(bucketSeconds[unit]);
  const shift = sql.lit(offsetSeconds - (unit === 'week' ? MONDAY : 0));
  return sql<number>`(${column} - (${column} + ${shift}) % ${size})`;
}

/** ON CONFLICT … DO UPDATE, which SQLite and PostgreSQL have in the same form. */
export function onConflictUpdate(
  keys: readonly string[],
  set: Readonly<Record<string, Expression<unknown>>>,
): RawBuilder<unknown> {
  return sql`on conflict (${sql.join(keys.map((key) => sql.ref(key)))}) do update set ${assignments(set)}`;
}

export function assignments(set: Readonly<Record<string, Expression<unknown>>>): RawBuilder<unknown> {
  return sql.join(Object.entries(set).map(([column, value]) => sql`${sql.ref(column)} = ${value}`));
}

export function onConflictNothing(keys: readonly string[]): RawBuilder<unknown> {
  return sql`on conflict (${sql.join(keys.map((key) => sql.ref(key)))}) do nothing`;
}
