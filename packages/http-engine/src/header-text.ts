/** A header's name (RFC 9110 section 5.6.2). */
export const headerToken = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** A whole head, as Latin-1: lines without control characters, each with its CRLF. */
export const cleanLines = /^(?:[\t\x20-\x7e\x80-\xff]*\r\n)+$/;

/** Characters that would end a header value early, or cannot be sent as one byte. */
export const forbiddenInValue = /[^\t\x20-\x7e\x80-\xff]/;

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;

/** A part of a text without blanks and tabs around it. `trim` also removes \xa0, which may be half of a character. */
export function unpadded(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** Names that were read before, by their spelling: callers and upstreams send the same few names with each call. */
const knownNames = new Map<string, string>();
const maxKnownNames = 1_000;

/** A header's name in lower case; undefined if it is not a valid name. */
export function nameInLowerCase(written: string): string | undefined {
  const known = knownNames.get(written);
  if (known !== undefined) return known;
  if (!headerToken.test(written)) return undefined;
  const name = written.toLowerCase();
  if (knownNames.size < maxKnownNames) knownNames.set(written, name);
  return name;
}

/**
 * Headers as lines, each with the line break before it, without the one named `except`. Throws TypeError if one cannot be
 * sent.
 */
export function writeFields(headers: Record<string, string>, except = ''): string {
  let text = '';
  // V8 reads an object's members directly in such a loop; a list of its keys costs three times as much. Headers are
  // plain objects: they inherit no members that the loop would find.
  for (const name in headers) {
    const value = headers[name]!;
    if (!headerToken.test(name) || typeof value !== 'string' || forbiddenInValue.test(value))
      throw new TypeError(`invalid ${name} header`);
    if (name !== except) text += `\r\n${name}: ${value}`;
  }
  return text;
}
