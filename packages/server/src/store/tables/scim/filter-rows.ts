import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { ScimFilter, ScimOperator } from '../../../lib/scim-filter.ts';
import { dialectOf } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import { containing, startingWith } from '../../like.ts';
import type { Database } from '../../schema/index.ts';

/** A filter with an attribute, an operator or a value that no column answers. */
export class UnusableFilter extends Error {}

const eb = expressionBuilder<Database, never>();
type Comparison = Extract<ScimFilter, { kind: 'compare' }>;

/** The condition of one attribute. `key`: in lower case, `text`: as written, `time`: seconds from a date. */
type Answer =
  | { kind: 'key' | 'text' | 'number' | 'flag' | 'time'; column: string }
  /** Texts with a line feed before and after each. */
  | { kind: 'lines'; column: string }
  /** Rows that have this value among others. */
  | { kind: 'among'; has: (value: string) => Expression<SqlBool>; any: Expression<SqlBool> };

/** Attributes of a resource in lower case, and their columns. */
export type Answers = Readonly<Record<string, Answer>>;

const signs = { eq: '=', ne: '!=', gt: '>', ge: '>=', lt: '<', le: '<=' } as const;
const isSign = (operator: ScimOperator): operator is keyof typeof signs => Object.hasOwn(signs, operator);

/** The condition of a filter over rows. Throws `UnusableFilter`. */
export function whereScim(db: Db, filter: ScimFilter, answers: Answers): Expression<SqlBool> {
  if (filter.kind === 'and') return eb.and(filter.of.map((each) => whereScim(db, each, answers)));
  if (filter.kind === 'or') return eb.or(filter.of.map((each) => whereScim(db, each, answers)));
  if (filter.kind === 'not') return eb.not(whereScim(db, filter.of, answers));
  if (filter.kind === 'has') return whereScim(db, valueOf(filter.attribute, filter.of), answers);
  const answer = Object.hasOwn(answers, filter.attribute) ? answers[filter.attribute] : undefined;
  if (!answer) throw new UnusableFilter();
  if (filter.kind === 'present') {
    if (answer.kind === 'among') return answer.any;
    if (answer.kind === 'lines' || answer.kind === 'key' || answer.kind === 'text')
      return sql<SqlBool>`${sql.ref(answer.column)} != ''`;
    return sql<SqlBool>`1 = 1`;
  }
  return compare(db, answer, filter);
}

/**
 * `emails[type eq "work" and value eq "x"]` as `emails.value eq "x"`: types are not in a column, and an address of
 * another type identifies the same person.
 */
function valueOf(attribute: string, of: ScimFilter): ScimFilter {
  const parts = of.kind === 'and' ? of.of : [of];
  const values = parts.filter((part) => 'attribute' in part && part.attribute === 'value');
  const others = parts.filter((part) => !values.includes(part));
  const areTypes = others.every((part) => part.kind === 'compare' && part.attribute === 'type');
  const [value] = values;
  if (!value || values.length > 1 || !areTypes || !('attribute' in value)) throw new UnusableFilter();
  return { ...value, attribute: `${attribute}.value` } as ScimFilter;
}

function compare(db: Db, answer: Answer, { operator, value }: Comparison): Expression<SqlBool> {
  if (answer.kind === 'flag') {
    const wanted = typeof value === 'string' ? { true: true, false: false }[value.toLowerCase()] : value;
    if (typeof wanted !== 'boolean' || (operator !== 'eq' && operator !== 'ne')) throw new UnusableFilter();
    return sql<SqlBool>`${sql.ref(answer.column)} = ${wanted === (operator === 'eq') ? 1 : 0}`;
  }
  if (typeof value !== 'string') throw new UnusableFilter();
  if (answer.kind === 'among') {
    if (operator !== 'eq' && operator !== 'ne') throw new UnusableFilter();
    return operator === 'eq' ? answer.has(value) : eb.not(answer.has(value));
  }
  if (answer.kind === 'lines') return compareLines(db, answer.column, operator, value.toLowerCase());
  if (answer.kind === 'time' || answer.kind === 'number') {
    const wanted = answer.kind === 'time' ? Math.floor(Date.parse(value) / 1_000) : idIn(value);
    if (!Number.isFinite(wanted) || !isSign(operator)) throw new UnusableFilter();
    return sql<SqlBool>`${sql.ref(answer.column)} ${sql.raw(signs[operator])} ${wanted}`;
  }
  // MySQL ignores blanks at the end; stored texts have none.
  const text = (answer.kind === 'key' ? value.toLowerCase() : value).trim();
  const column = sql.ref<string>(answer.column);
  if (isSign(operator)) return sql<SqlBool>`${column} ${sql.raw(signs[operator])} ${text}`;
  const pattern = { co: containing(text), sw: startingWith(text), ew: containing(text).slice(0, -1) }[
    operator
  ];
  return dialectOf(db).like(column, pattern);
}

/** An id as a number; 0, which no row has, for other texts. */
const idIn = (text: string): number => (/^\d{1,15}$/.test(text) ? Number(text) : 0);

/** True for texts with this line, exactly: LIKE takes look-alikes for the same on MySQL, such as e and é. */
export const hasLine = (column: string, line: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`replace(${sql.ref(column)}, ${`\n${line}\n`}, '') != ${sql.ref(column)}`;

function compareLines(db: Db, column: string, operator: ScimOperator, text: string): Expression<SqlBool> {
  const like = (pattern: string) => dialectOf(db).like(sql.ref<string>(column), pattern);
  if (operator === 'eq') return hasLine(column, text);
  if (operator === 'ne') return eb.not(hasLine(column, text));
  if (operator === 'co') return like(containing(text));
  if (operator === 'sw') return like(containing(`\n${text}`));
  if (operator === 'ew') return like(containing(`${text}\n`));
  throw new UnusableFilter();
}
