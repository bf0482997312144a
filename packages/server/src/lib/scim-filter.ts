/** Comparisons of RFC 7644, 3.4.2.2. */
export type ScimOperator = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le';

type ScimValue = string | number | boolean | null;

/** A filter of RFC 7644. Attributes are in lower case and without the name of their schema: `name.familyname`. */
export type ScimFilter =
  | { kind: 'and'; of: readonly ScimFilter[] }
  | { kind: 'or'; of: readonly ScimFilter[] }
  | { kind: 'not'; of: ScimFilter }
  | { kind: 'present'; attribute: string }
  | { kind: 'compare'; attribute: string; operator: ScimOperator; value: ScimValue }
  /** A value of the attribute with these sub-attributes: `emails[type eq "work"]`. */
  | { kind: 'has'; attribute: string; of: ScimFilter };

/** The target of a change: `emails[type eq "work"].value`. */
export interface ScimPath {
  attribute: string;
  filter?: ScimFilter;
  sub?: string;
}

const operators: readonly string[] = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'];
const maxLength = 2_000;
const maxDepth = 20;

class Malformed extends Error {}

/** Attribute names may begin with the URN of their schema. */
const withoutSchema = (name: string): string => name.replace(/^urn:[^[\]\s"]*:(?=[^:]*$)/i, '');

class Parser {
  private readonly tokens: readonly string[];
  private at = 0;

  constructor(text: string) {
    if (text.length > maxLength) throw new Malformed();
    const tokens = text.match(/"(?:[^"\\]|\\.)*"|[()[\]]|[^\s()[\]"]+/g) ?? [];
    // Everything but blanks must be in a token.
    if (
      tokens.join('').length !==
      text.replace(/"(?:[^"\\]|\\.)*"|\s/g, (part) => (part[0] === '"' ? part : '')).length
    )
      throw new Malformed();
    this.tokens = tokens;
  }

  filter(depth = 0): ScimFilter {
    const parts = [this.conjunction(depth)];
    while (this.takes('or')) parts.push(this.conjunction(depth));
    return parts.length === 1 ? parts[0]! : { kind: 'or', of: parts };
  }

  path(): ScimPath {
    const name = this.attribute();
    if (!this.takes('[')) {
      const [attribute = '', sub, ...more] = name.split('.');
      if (attribute === '' || more.length > 0) throw new Malformed();
      return { attribute, ...(sub !== undefined && { sub }) };
    }
    const filter = this.filter(1);
    this.expect(']');
    const rest = this.tokens[this.at];
    if (rest === undefined) return { attribute: name, filter };
    if (!/^\.[\w$-]+$/.test(rest)) throw new Malformed();
    this.at += 1;
    return { attribute: name, filter, sub: rest.slice(1).toLowerCase() };
  }

  end(): void {
    if (this.at !== this.tokens.length) throw new Malformed();
  }

  private conjunction(depth: number): ScimFilter {
    const parts = [this.term(depth)];
    while (this.takes('and')) parts.push(this.term(depth));
    return parts.length === 1 ? parts[0]! : { kind: 'and', of: parts };
  }

  private term(depth: number): ScimFilter {
    if (depth > maxDepth) throw new Malformed();
    if (this.takes('not')) {
      this.expect('(');
      const of = this.filter(depth + 1);
      this.expect(')');
      return { kind: 'not', of };
    }
    if (this.takes('(')) {
      const inner = this.filter(depth + 1);
      this.expect(')');
      return inner;
    }
    const attribute = this.attribute();
    if (this.takes('[')) {
      const of = this.filter(depth + 1);
      this.expect(']');
      return this.afterValues(attribute, of);
    }
    if (this.takes('pr')) return { kind: 'present', attribute };
    return this.comparison(attribute);
  }

  /** `emails[type eq "work"].value eq "x"`, as some directories write `emails[type eq "work" and value eq "x"]`. */
  private afterValues(attribute: string, of: ScimFilter): ScimFilter {
    const next = this.tokens[this.at];
    if (next === undefined || !/^\.[\w$-]+$/.test(next)) return { kind: 'has', attribute, of };
    this.at += 1;
    const sub = next.slice(1).toLowerCase();
    const compared: ScimFilter = this.takes('pr')
      ? { kind: 'present', attribute: sub }
      : this.comparison(sub);
    return { kind: 'has', attribute, of: { kind: 'and', of: [of, compared] } };
  }

  private comparison(attribute: string): ScimFilter {
    const operator = this.next().toLowerCase();
    if (!operators.includes(operator)) throw new Malformed();
    return { kind: 'compare', attribute, operator: operator as ScimOperator, value: this.value() };
  }

  private value(): ScimValue {
    const token = this.next();
    if (!/^(?:"|true$|false$|null$|-?\d)/i.test(token)) throw new Malformed();
    try {
      const value = JSON.parse(token.startsWith('"') ? token : token.toLowerCase()) as ScimValue;
      // No database compares a text with NUL.
      if (typeof value !== 'string' || !value.includes('\0')) return value;
    } catch {
      // The same as a value that is refused.
    }
    throw new Malformed();
  }

  private attribute(): string {
    const name = withoutSchema(this.next()).toLowerCase();
    if (!/^[a-z$][\w$-]*(?:\.[\w$-]+)?$/.test(name)) throw new Malformed();
    return name;
  }

  private next(): string {
    const token = this.tokens[this.at];
    if (token === undefined) throw new Malformed();
    this.at += 1;
    return token;
  }

  private takes(word: string): boolean {
    if (this.tokens[this.at]?.toLowerCase() !== word) return false;
    this.at += 1;
    return true;
  }

  private expect(word: string): void {
    if (!this.takes(word)) throw new Malformed();
  }
}

function parse<T>(text: string, read: (parser: Parser) => T): T | undefined {
  try {
    const parser = new Parser(text);
    const result = read(parser);
    parser.end();
    return result;
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}

/** The filter in a text; undefined if it is none. */
export const parseScimFilter = (text: string): ScimFilter | undefined =>
  parse(text, (parser) => parser.filter());

/** The path in a text; undefined if it is none. */
export const parseScimPath = (text: string): ScimPath | undefined => parse(text, (parser) => parser.path());

/** The member of an object with a name in upper or lower case. */
export const memberOf = (value: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.entries(value).find(([each]) => each.toLowerCase() === name)?.[1];

const comparable = (value: unknown): unknown => (typeof value === 'string' ? value.toLowerCase() : value);

function compare(operator: ScimOperator, left: unknown, right: unknown): boolean {
  const [a, b] = [comparable(left), comparable(right)];
  if (operator === 'eq') return a === b;
  if (operator === 'ne') return a !== b;
  if (typeof a !== 'string' || typeof b !== 'string') return false;
  if (operator === 'co') return a.includes(b);
  if (operator === 'sw') return a.startsWith(b);
  if (operator === 'ew') return a.endsWith(b);
  if (operator === 'gt') return a > b;
  if (operator === 'ge') return a >= b;
  return operator === 'lt' ? a < b : a <= b;
}

/** True if a value of an attribute, such as an address, meets a filter. Texts are compared regardless of case. */
export function meetsScimFilter(filter: ScimFilter, value: Readonly<Record<string, unknown>>): boolean {
  if (filter.kind === 'and') return filter.of.every((each) => meetsScimFilter(each, value));
  if (filter.kind === 'or') return filter.of.some((each) => meetsScimFilter(each, value));
  if (filter.kind === 'not') return !meetsScimFilter(filter.of, value);
  if (filter.kind === 'has') return false;
  const member = memberOf(value, filter.attribute);
  if (filter.kind === 'present') return member !== undefined && member !== null && member !== '';
  return compare(filter.operator, member, filter.value);
}
