/** Position of a JSON fault; lines and columns count from 1. */
export interface JsonFault {
  line: number;
  column: number;
}

/** Thrown at the first invalid character. Browsers' errors no longer have its position. */
class FaultAt extends Error {
  readonly index: number;

  constructor(index: number) {
    super('not JSON');
    this.index = index;
  }
}

const space = /[ \t\n\r]*/y;
const plain = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)/y;
// Every character from the space up except the quote and the backslash; a raw control character is a fault.
const string = /"(?:[ !#-[\]-\u{10ffff}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;

/** The index after a match of `pattern` at `index`; throws without a match. */
function after(pattern: RegExp, text: string, index: number): number {
  pattern.lastIndex = index;
  if (!pattern.test(text)) throw new FaultAt(index);
  return pattern.lastIndex;
}

function expectAt(text: string, index: number, wanted: string): number {
  if (text[index] !== wanted) throw new FaultAt(index);
  return index + 1;
}

/** Skips one value with the space around it; returns the index after it. */
function walkValue(text: string, start: number): number {
  const index = after(space, text, start);
  const first = text[index];
  if (first === '{') return walkItems(text, index + 1, '}', walkEntry);
  if (first === '[') return walkItems(text, index + 1, ']', walkValue);
  return after(space, text, after(first === '"' ? string : plain, text, index));
}

function walkEntry(text: string, start: number): number {
  const key = after(string, text, after(space, text, start));
  return walkValue(text, expectAt(text, after(space, text, key), ':'));
}

function walkItems(
  text: string,
  start: number,
  end: string,
  walkItem: (text: string, index: number) => number,
): number {
  let index = after(space, text, start);
  if (text[index] === end) return after(space, text, index + 1);
  for (;;) {
    index = walkItem(text, index);
    if (text[index] === end) return after(space, text, index + 1);
    index = expectAt(text, index, ',');
  }
}

/** The index of the first fault; the length of the text if it ends too early. */
function faultIndex(text: string): number {
  try {
    return walkValue(text, 0);
  } catch (error) {
    return error instanceof FaultAt ? error.index : 0;
  }
}

/** The first fault of a JSON text; null if it parses. An empty text has no fault. */
export function findJsonFault(text: string): JsonFault | null {
  if (text.trim() === '') return null;
  try {
    JSON.parse(text);
    return null;
  } catch {
    const before = text.slice(0, faultIndex(text)).split('\n');
    return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  }
}

/** The same JSON, indented; the unchanged text if it does not parse. */
export function tidyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
