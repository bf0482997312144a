/** The escape character of DialectHelpers.like. */
const escaped = (text: string): string => text.replace(/[!%_]/g, '!$&');

/** A pattern for texts that contain `text`, whatever characters it has. */
export const containing = (text: string): string => `%${escaped(text)}%`;

/** A pattern for texts that start with `text`. */
export const startingWith = (text: string): string => `${escaped(text)}%`;

/**
 * A pattern from a filter in which `%` means any text (docs/compatibility.md#log-lists-and-sums). Runs of them count
 * as one, and only two stay:
 * each more multiplies what the database has to try.
 */
export function withWildcards(text: string): string {
  const parts = text.split(/%+/).map(escaped);
  if (parts.length <= 3) return parts.join('%');
  return `${parts[0]}%${parts.slice(1, -1).join('!%')}%${parts.at(-1)}`;
}
