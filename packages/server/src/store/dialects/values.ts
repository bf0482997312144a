/**
 * Refuses every value that a driver could misread. node:sqlite takes an object for a map of named parameters and then
 * inserts shifted values without a word; mysql2 turns one into `key = value` text; an integer beyond 2^53 has already
 * lost units before it gets here. Numbers, bigints, strings, null, byte arrays and booleans pass.
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

/** Reads a whole number that a driver delivered as text; refuses what a JavaScript number cannot hold exactly. */
export function safeInteger(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new RangeError(`the database holds an integer beyond 2^53: ${text}`);
  }
  return value;
}
