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

/** Names that were tested before: ours are few. */
const knownNames = new Set<string>();
const maxKnownNames = 1_000;

/**
 * Whether a header's name and value can be sent without becoming something else: the name is a token, and the value has
 * nothing in it that would end the header early or cannot be sent as one byte.
 */
export function isSendable(name: string, value: string): boolean {
  if (typeof value !== 'string' || forbiddenInValue.test(value)) return false;
  if (knownNames.has(name)) return true;
  if (!headerToken.test(name)) return false;
  if (knownNames.size < maxKnownNames) knownNames.add(name);
  return true;
}

/** Headers as lines, without the one that is called `left`. Throws TypeError where one cannot be sent. */
export function writeFields(headers: Record<string, string>, left = ''): string {
  let text = '';
  // V8 reads the members of an object in such a loop straight from their places; a list of its keys costs three times as
  // much. Headers are plain objects: they inherit nothing that the loop would find.
  for (const name in headers) {
    const value = headers[name]!;
    if (!isSendable(name, value)) throw new TypeError(`invalid ${name} header`);
    if (name !== left) text += `${name}: ${value}\r\n`;
  }
  return text;
}
