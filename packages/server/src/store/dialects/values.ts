/**
 * Refuses every value that a driver could misread. node:sqlite takes an object for named parameters and inserts shifted
 * values without an error; mysql2 turns one into `key = value` text; an integer beyond 2^53 has lost units already.
 * Numbers, bigints, strings, null, byte arrays and booleans are accepted.
 */
export function assertStorable(values: readonly unknown[]): void {
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i];
    switch (typeof value) {
      case 'string':
      case 'boolean':
      case 'bigint':
        continue;
      case 'number':
        if (!Number.isFinite(value))
          throw new TypeError(`value ${i + 1} is ${value}, which cannot be stored`);
        if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
          throw new RangeError(`value ${i + 1} is an integer beyond 2^53: ${value}`);
        }
        continue;
      default:
        if (value === null || value instanceof Uint8Array) continue;
        throw new TypeError(`value ${i + 1} is of type ${typeof value}, which no column holds`);
    }
  }
}

/** Parses a whole number that a driver returned as text; refuses numbers that JavaScript cannot represent exactly. */
export function safeInteger(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new RangeError(`the database holds an integer beyond 2^53: ${text}`);
  }
  return value;
}
