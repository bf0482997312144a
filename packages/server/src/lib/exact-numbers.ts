import { isObject, type Json, type JsonObject } from './json.ts';
import { listItems, scanObject, valueEnd } from './json-scan.ts';

/**
 * JSON whose numbers keep their text. A double holds 15 to 17 digits, so an id of 19 digits that passes through
 * `JSON.parse` names another record; `1.0` comes out as `1`. Numbers that `JSON.stringify` would write otherwise are
 * parsed as raw JSON (`JSON.rawJSON`), which it writes as they came.
 */
interface SourceJson {
  parse(text: string, revive: (key: string, value: Json, context: { source?: string }) => Json): Json;
  rawJSON(text: string): JsonObject;
  isRawJSON(value: Json): boolean;
}
const sourceJson = JSON as unknown as SourceJson;

/** Parses JSON whose numbers are only written again and never computed with. Throws SyntaxError. */
export const parseExact = (text: string): Json =>
  sourceJson.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source
      ? sourceJson.rawJSON(source)
      : value,
  );

/** As `parseExact`; undefined for anything but an object, a number kept as text included. */
export function parseExactObject(text: string): JsonObject | undefined {
  try {
    const value = parseExact(text);
    return isObject(value) && !sourceJson.isRawJSON(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Names of members from the top of a body; `*` stands for each item of a list. */
export type MemberPath = readonly string[];

/**
 * A parsed body in which the values at `paths` are parsed again as `parseExact` does. `source` is the text of the body;
 * it is read only where there is a number at one of the paths. Objects on the way are copied.
 */
export function withExactNumbers(
  body: JsonObject,
  source: Buffer | string,
  paths: readonly MemberPath[],
): JsonObject {
  const found = paths.filter((path) => hasNumber(body, path));
  if (found.length === 0) return body;
  const raw = typeof source === 'string' ? Buffer.from(source) : source;
  let exact: Json = body;
  for (const path of found) exact = replaced(exact, raw, path);
  return isObject(exact) ? exact : body;
}

function hasNumber(value: Json | undefined, [step, ...rest]: MemberPath): boolean {
  if (step === undefined) return containsNumber(value);
  if (Array.isArray(value)) return step === '*' && value.some((item) => hasNumber(item, rest));
  if (!isObject(value)) return false;
  return step === '*' ? hasNumber(value, rest) : hasNumber(value[step], rest);
}

function containsNumber(value: Json | undefined): boolean {
  if (typeof value === 'number') return true;
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(containsNumber);
}

/** `raw` begins with the value. */
function replaced(value: Json, raw: Buffer, path: MemberPath): Json {
  const [step, ...rest] = path;
  if (!hasNumber(value, path)) return value;
  if (step === undefined) return parseExact(raw.toString('utf8', 0, valueEnd(raw, 0)));
  if (Array.isArray(value)) {
    const starts = listItems(raw);
    return value.map((item, at) => replaced(item, raw.subarray(starts[at]), rest));
  }
  if (!isObject(value)) return value;
  if (step === '*') return replaced(value, raw, rest);
  const member = scanObject(raw)?.members.findLast(({ key }) => key === step);
  return member ? { ...value, [step]: replaced(value[step]!, raw.subarray(member.valueStart), rest) } : value;
}
