import { isObject, type Json, type JsonObject, parseObject } from '../../lib/json.ts';

/** The variable parts of events. */
export type Leaf = string | number;

/** A text or a count that changes from event to event, with its path. */
interface Variable {
  path: readonly (string | number)[];
  value: Leaf;
}

/**
 * The position of a variable in the data: of a text the place between its quotes, of a count its first to its last
 * digit.
 */
interface VariablePosition {
  variable: Variable;
  from: number;
  to: number;
}

/**
 * A part of an event that contains variables, with the content of each place in its copies: the number of a variable,
 * or another part.
 */
interface Branch {
  part: Json[] | JsonObject;
  changes: { key: string | number; to: Branch | number }[];
}

/** The most differences of a shape: for events with more, a shape saves no time. */
const maxVariables = 4;
const needsEscape = /["\\\p{Cc}]/u;
/** In the format of `JSON.stringify`, and exact as a number. */
const count = /^(?:0|[1-9]\d{0,14})$/;

/**
 * The common text of two events of a stream, and the few texts and counts that differ. If an event differs only in
 * these values, they are read without parsing it.
 */
export class EventShape {
  /** The data before the first variable, between variables, and after the last one. */
  private readonly pieces: readonly string[];
  private readonly root: Branch;
  /** Probe values for the variables, all different, which no vendor sends. */
  readonly probes: readonly Leaf[];
  /** The member name of each variable's value. */
  readonly keys: readonly string[];

  private constructor(
    pieces: readonly string[],
    probes: readonly Leaf[],
    variables: readonly Variable[],
    root: Branch,
  ) {
    this.pieces = pieces;
    this.probes = probes;
    this.keys = variables.map(({ path }) => String(path.at(-1)));
    this.root = root;
  }

  /** The shape of an event, from its data and another event; undefined if they are not alike. */
  static fromPair(data: string, event: JsonObject, other: JsonObject): EventShape | undefined {
    const found: Variable[] = [];
    if (!findVariables(event, other, [], found)) return undefined;
    const places = found
      .flatMap((variable) => positionOf(data, variable) ?? [])
      .toSorted((a, b) => a.from - b.from);
    if (places.length !== found.length) return undefined;
    const ends = [0, ...places.map(({ to }) => to)];
    const starts = [...places.map(({ from }) => from), data.length];
    if (starts.some((start, index) => start < ends[index]!)) return undefined;
    const pieces = starts.map((start, index) => data.slice(ends[index], start));
    const variables = places.map(({ variable }) => variable);
    const probes = variables.map(({ value }, index) =>
      typeof value === 'string' ? `a text that no vendor sends ${index}` : 987_654_321_000 + index,
    );
    const probe = probed(event, variables, pieces, probes);
    return probe && new EventShape(pieces, probes, variables, branchOf(probe, variables));
  }

  /** The changing values of an event's data; undefined if it does not have this shape, or is not JSON. */
  read(data: string): Leaf[] | undefined {
    const pieces = this.pieces;
    const { probes } = this;
    const last = probes.length - 1;
    let at = pieces[0]!.length;
    // Comparing slices is faster than `startsWith`.
    if (data.slice(0, at) !== pieces[0]) return undefined;
    if (last < 0 && data.length !== at) return undefined;
    const leaves = probes.slice();
    for (let index = 0; index <= last; index += 1) {
      const isText = typeof probes[index] === 'string';
      const piece = pieces[index + 1]!;
      const end = index === last ? data.length - piece.length : endOf(data, at, isText);
      if (end < at || data.slice(end, end + piece.length) !== piece) return undefined;
      const written = data.slice(at, end);
      const leaf = isText ? readText(written) : readCount(written);
      if (leaf === undefined) return undefined;
      leaves[index] = leaf;
      at = end + piece.length;
    }
    return leaves;
  }

  /**
   * The event with these values: new objects along the paths to the values; the rest is shared with other events, and
   * frozen.
   */
  eventOf(leaves: readonly Leaf[]): JsonObject {
    return copyOf(this.root, leaves) as JsonObject;
  }
}

/** Collects the differences of two values; false if there are too many or they are of another kind. */
function findVariables(one: Json, other: Json, path: Variable['path'], variables: Variable[]): boolean {
  if (one === other) return true;
  if (Array.isArray(one)) {
    if (!Array.isArray(other) || one.length !== other.length) return false;
    return one.every((entry, index) => findVariables(entry, other[index]!, [...path, index], variables));
  }
  if (isObject(one)) {
    const keys = Object.keys(one);
    if (!isObject(other) || keys.length !== Object.keys(other).length) return false;
    // A member of that name exists only in JSON.
    if (Object.hasOwn(one, '__proto__') || keys.some((key) => !Object.hasOwn(other, key))) return false;
    return keys.every((key) => findVariables(one[key]!, other[key]!, [...path, key], variables));
  }
  const isText = typeof one === 'string' && typeof other === 'string';
  const isCount = typeof one === 'number' && typeof other === 'number';
  if ((!isText && !isCount) || variables.length === maxVariables) return false;
  variables.push({ path, value: one });
  return true;
}

/** Finds a member by name and value. Others may have the same, so the shape is verified afterwards. */
function positionOf(data: string, variable: Variable): VariablePosition | undefined {
  const key = variable.path.at(-1);
  const isText = typeof variable.value === 'string';
  const written = String(variable.value);
  if (typeof key !== 'string' || needsEscape.test(key)) return undefined;
  if (isText ? written === '' || needsEscape.test(written) : !count.test(written)) return undefined;
  const quote = isText ? '"' : '';
  for (const colon of [':', ': ']) {
    const opening = `"${key}"${colon}${quote}`;
    const at = data.indexOf(`${opening}${written}${quote}`);
    if (at < 0) continue;
    const from = at + opening.length;
    return { variable, from, to: from + written.length };
  }
  return undefined;
}

/** The parsed event with probes in its variables; undefined if they are not exactly there. */
function probed(
  event: JsonObject,
  variables: readonly Variable[],
  pieces: readonly string[],
  probes: readonly Leaf[],
): JsonObject | undefined {
  const probe = parseObject(pieces.map((piece, index) => piece + String(probes[index] ?? '')).join(''));
  const different: Variable[] = [];
  if (!probe || !findVariables(event, probe, [], different)) return undefined;
  const isFound = ({ path }: Variable, index: number): boolean =>
    different.some((one) => nameOf(one.path) === nameOf(path)) && leafAt(probe, path) === probes[index];
  return different.length === variables.length && variables.every(isFound) ? probe : undefined;
}

const nameOf = (path: Variable['path']): string => JSON.stringify(path);

const leafAt = (event: Json, path: Variable['path']): Json =>
  path.reduce<Json>((part, key) => (part as JsonObject)[key]!, event);

/** The parts of an event that contain variables; all others are frozen. */
function branchOf(event: JsonObject, variables: readonly Variable[]): Branch {
  const numbers = new Map(variables.map(({ path }, number) => [nameOf(path), number]));
  const branch = (part: Branch['part'], path: readonly (string | number)[]): Branch => {
    const changes: Branch['changes'] = [];
    for (const [name, value] of Object.entries(part) as [string, Json][]) {
      const key = Array.isArray(part) ? Number(name) : name;
      const inner = [...path, key];
      const number = numbers.get(nameOf(inner));
      if (number !== undefined) changes.push({ key, to: number });
      else if (variables.some((variable) => inner.every((step, depth) => step === variable.path[depth])))
        changes.push({ key, to: branch(value as Branch['part'], inner) });
      else freeze(value);
    }
    return { part, changes };
  };
  return branch(event, []);
}

function freeze(value: Json): void {
  if (typeof value !== 'object' || value === null) return;
  for (const entry of Object.values(value)) freeze(entry!);
  Object.freeze(value);
}

function copyOf({ part, changes }: Branch, leaves: readonly Leaf[]): Json {
  const copy: Branch['part'] = Array.isArray(part) ? part.slice() : { ...part };
  for (const { key, to } of changes) {
    (copy as JsonObject)[key] = typeof to === 'number' ? leaves[to]! : copyOf(to, leaves);
  }
  return copy;
}

/** The end of a value that is not the last one. */
function endOf(data: string, from: number, isText: boolean): number {
  if (isText) return data.indexOf('"', from);
  let end = from;
  while (end < data.length && data.charCodeAt(end) >= 0x30 && data.charCodeAt(end) <= 0x39) end += 1;
  return end;
}

/** The text between two quotes; undefined if it has another form in JSON. */
function readText(written: string): string | undefined {
  if (!needsEscape.test(written)) return written;
  try {
    return JSON.parse(`"${written}"`) as string;
  } catch {
    return undefined;
  }
}

const readCount = (written: string): number | undefined =>
  count.test(written) ? Number(written) : undefined;
