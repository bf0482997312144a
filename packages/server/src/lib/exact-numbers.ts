import { isObject, type Json, type JsonObject, listItems, scanObject, valueEnd } from './json.ts';

/**
 * JSON with unchanged number texts. A double holds 15 to 17 digits, so an id of 19 digits that passes through
 * `JSON.parse` names another record; `1.0` becomes `1`. Numbers that `JSON.stringify` would write otherwise are parsed
 * as raw JSON (`JSON.rawJSON`), which it writes unchanged.
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

/** True for a number, also one that is stored as text. */
export const isNumber = (value: Json | undefined): boolean =>
  typeof value === 'number' || (value !== undefined && sourceJson.isRawJSON(value));

/** As `parseExact`; undefined for anything but an object, including a number that is stored as text. */
export function parseExactObject(text: string): JsonObject | undefined {
  try {
    const value = parseExact(text);
    return isObject(value) && !sourceJson.isRawJSON(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Names of members from the top of a body; `*` means each item of a list. */
export type MemberPath = readonly string[];

/**
 * A parsed body in which the values at `paths` are parsed again as `parseExact` does. `source` is the text of the body;
 * it is read only if there is a number at one of the paths. Objects on the way are copied.
 */
export function withExactNumbers(
  body: JsonObject,
  source: Buffer | string,
  paths: readonly MemberPath[],
): JsonObject {
  return withExact(body, source, paths, (value) => typeof value === 'number');
}

/** The same, but only for integers beyond 2^53, such as 64-bit limits; other numbers have the same value in any form. */
export function withExactIntegers(
  body: JsonObject,
  source: Buffer | string,
  paths: readonly MemberPath[],
): JsonObject {
  return withExact(
    body,
    source,
    paths,
    (value) => typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER,
  );
}

type Test = (value: Json | undefined) => boolean;

function withExact(
  body: JsonObject,
  source: Buffer | string,
  paths: readonly MemberPath[],
  isOne: Test,
): JsonObject {
  const found = paths.filter((path) => hasNumber(body, path, isOne));
  if (found.length === 0) return body;
  const raw = typeof source === 'string' ? Buffer.from(source) : source;
  let exact: Json = body;
  for (const path of found) exact = replaced(exact, raw, path, isOne);
  return isObject(exact) ? exact : body;
}

function hasNumber(value: Json | undefined, [step, ...rest]: MemberPath, isOne: Test): boolean {
  if (step === undefined) return containsNumber(value, isOne);
  if (Array.isArray(value)) return step === '*' && value.some((item) => hasNumber(item, rest, isOne));
  if (!isObject(value)) return false;
  return hasNumber(step === '*' ? value : value[step], rest, isOne);
}

function containsNumber(value: Json | undefined, isOne: Test): boolean {
  if (typeof value !== 'object' || value === null) return isOne(value);
  return Object.values(value).some((each) => containsNumber(each, isOne));
}

/** `raw` begins with the value. */
function replaced(value: Json, raw: Buffer, path: MemberPath, isOne: Test): Json {
  const [step, ...rest] = path;
  if (!hasNumber(value, path, isOne)) return value;
  if (step === undefined) return parseExact(raw.toString('utf8', 0, valueEnd(raw, 0)));
  if (Array.isArray(value)) {
    const starts = listItems(raw);
    return value.map((item, at) => replaced(item, raw.subarray(starts[at]), rest, isOne));
  }
  if (!isObject(value)) return value;
  if (step === '*') return replaced(value, raw, rest, isOne);
  const member = scanObject(raw)?.members.findLast(({ key }) => key === step);
  return member
    ? { ...value, [step]: replaced(value[step]!, raw.subarray(member.valueStart), rest, isOne) }
    : value;
}
