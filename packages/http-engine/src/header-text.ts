/** A header's name (RFC 9110 section 5.6.2). */
export const headerToken = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** A whole head, as Latin-1: lines without control characters, each with its CRLF. */
export const cleanLines = /^(?:[\t\x20-\x7e\x80-\xff]*\r\n)+$/;

/** In one value: what would end the header early, or cannot be sent as one byte. */
export const forbiddenInValue = /[^\t\x20-\x7e\x80-\xff]/;

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;

/** A part of a text without blanks and tabs around it; \xa0, which `trim` takes too, may be half of a character. */
export function unpadded(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** Names that were tested before, as they are written, with what stands before their values: ours are few. */
const openings = new Map<string, string>();
const maxOpenings = 1_000;

/**
 * What stands before the value of a header of this name, from the end of the line before it on; undefined where this is
 * no name.
 */
export function fieldOpening(name: string): string | undefined {
  const known = openings.get(name);
  if (known !== undefined) return known;
  if (!headerToken.test(name)) return undefined;
  const opening = `\r\n${name}: `;
  if (openings.size < maxOpenings) openings.set(name, opening);
  return opening;
}

/**
 * Headers as lines, each behind the end of the line before it, without the one that is called `left`. Throws TypeError
 * where one cannot be sent.
 */
export function writeFields(headers: Record<string, string>, left = ''): string {
  let text = '';
  let tested = '';
  // V8 reads the members of an object in such a loop straight from their places; a list of its keys costs three times as
  // much. Headers are plain objects: they inherit nothing that the loop would find.
  for (const name in headers) {
    const value = headers[name]!;
    const opening = fieldOpening(name);
    // Several names of one answer share a value, such as those of a request's id.
    const isGood = value === tested || (typeof value === 'string' && !forbiddenInValue.test(value));
    if (opening === undefined || !isGood) throw new TypeError(`invalid ${name} header`);
    tested = value;
    if (name !== left) text += opening + value;
  }
  return text;
}
