/** The escape character of DialectHelpers.like. */
const escaped = (text: string): string => text.replace(/[!%_]/g, '!$&');

/** A pattern for texts that contain `text`, with any characters. */
export const containing = (text: string): string => `%${escaped(text)}%`;

/** A pattern for texts that start with `text`. */
export const startingWith = (text: string): string => `${escaped(text)}%`;

/**
 * A LIKE pattern from a filter in which `%` means any text (docs/compatibility.md#log-lists-and-sums). A run of them
 * counts as one, and at most two are used, because each one multiplies the work of the database.
 */
export function withWildcards(text: string): string {
  const parts = text.split(/%+/).map(escaped);
  if (parts.length <= 3) return parts.join('%');
  return `${parts[0]}%${parts.slice(1, -1).join('!%')}%${parts.at(-1)}`;
}
