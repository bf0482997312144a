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
